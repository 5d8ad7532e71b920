import type { Secrets } from '../../platform/privacy/master-key.ts'
import { isSameStamp, stampText } from '../../platform/privacy/stamp.ts'
import type { Db } from '../../platform/db/sql.ts'

type Keys = { secrets: Pick<Secrets, 'keyFor'> }

/** What lets an operator in, with everything that says whom, as what, and since when. `hash`: of what only that person has. */
export type Access =
  | { kind: 'session'; id: bigint; hash: string; operatorId: bigint; createdAt: Date }
  | { kind: 'token'; id: bigint; hash: string; operatorId: bigint }
  | { kind: 'password'; hash: string; operatorId: bigint }
  | { kind: 'invitation'; hash: string; email: string; name: string; role: string; by: string }

type Stamped = { stamp: Buffer | null }

/** The proof that the service itself let somebody in. A row without it counts for nothing. */
export const accessStamp = ({ secrets }: Keys, access: Access): Buffer =>
  stampText(
    secrets.keyFor('operator-access'),
    JSON.stringify(
      Object.entries(access)
        .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)])
        .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    ),
  )

export const isOurAccess = (keys: Keys, access: Access, { stamp }: Stamped): boolean =>
  isSameStamp(stamp, accessStamp(keys, access))

/** A sentence for each row that would let somebody in and that the service has not written. */
export async function forgedAccess(keys: Keys, db: Db): Promise<string[]> {
  const sessions = await db.sql<{ id: bigint; hash: string; operatorId: bigint; createdAt: Date } & Stamped>`
    select id, hash, operator_id as "operatorId", created_at as "createdAt", stamp from operator_sessions order by id`
  const tokens = await db.sql<{ id: bigint; hash: string; operatorId: bigint } & Stamped>`
    select id, hash, operator_id as "operatorId", stamp from operator_tokens where not carried_over order by id`
  const passwords = await db.sql<{ hash: string; operatorId: bigint } & Stamped>`
    select hash, operator_id as "operatorId", stamp from pending_sign_ins order by operator_id`
  const invitations = await db.sql<{ hash: string; email: string; name: string; role: string; by: string } & Stamped>`
    select hash, email, name, role, invited_by as by, stamp from operator_invitations order by email`
  const all: [Access, Stamped, string][] = [
    ...sessions.map(({ stamp, ...one }): [Access, Stamped, string] => [
      { kind: 'session', ...one },
      { stamp },
      `Session ${one.id} of operator ${one.operatorId} was not begun by the exchange, and opens nothing.`,
    ]),
    ...tokens.map(({ stamp, ...one }): [Access, Stamped, string] => [
      { kind: 'token', ...one },
      { stamp },
      `Token ${one.id} of operator ${one.operatorId} was not made by the exchange, and opens nothing.`,
    ]),
    ...passwords.map(({ stamp, ...one }): [Access, Stamped, string] => [
      { kind: 'password', ...one },
      { stamp },
      `The password of operator ${one.operatorId} was said to be right by a row that the exchange has not written.`,
    ]),
    ...invitations.map(({ stamp, ...one }): [Access, Stamped, string] => [
      { kind: 'invitation', ...one },
      { stamp },
      `The invitation of ${one.email} was not made by the exchange, and makes nobody an operator.`,
    ]),
  ]
  return all.filter(([access, stamp]) => !isOurAccess(keys, access, stamp)).map(([, , sentence]) => sentence)
}
