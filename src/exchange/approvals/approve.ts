import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import * as queries from './approvals.sql.ts'
import { type Content, hashOfContent } from './content.ts'
import type { ApprovalDeps, GivingDeps } from './deps.ts'
import { countsAt, type OperatorKey, readKeys } from './operator-keys.ts'
import { mayAct, operatorIdIn } from './people.ts'
import { isSignedBy, type Sign } from './signature.ts'
import { isGenuine, stampOf } from './stamp.ts'
import { takeSignature } from './take-signature.ts'

/** Who approves, as the audit names them. `sign`: an operator's key, or the browser's passkey. */
export type Approver = { actor: string; sign?: Sign | undefined }

/**
 * One person's approval of a content, in the caller's block, which holds the lock of what it is about. Signed by the operator's key,
 * where there is one; without one the service vouches for who it is, unless the environment demands keys. Gives all who have approved
 * it. CONFLICT for a second approval by the same person.
 */
export async function approve(deps: GivingDeps, db: Atomic, content: Content, approver: Approver): Promise<string[]> {
  const { actor } = approver
  const before = await approversOf(deps, db, content)
  if (before.includes(actor)) {
    throw new Refusal('CONFLICT', 'You have approved this already: another operator must, too.')
  }
  const hash = hashOfContent(deps.secrets, content)
  const operatorId = operatorIdIn(actor)
  if (operatorId !== undefined && !(await mayAct(deps, db, operatorId))) {
    throw new Refusal('FORBIDDEN', 'This operator was not made by this exchange, or was changed behind its back.')
  }
  const proof = await proofOf(deps, db, hash, { ...approver, operatorId })
  write(deps, db, content, { approver: actor, ...proof })
  return [...before, actor]
}

/** What the service itself does or vouches for, in the caller's block; now, unless it was at another time. */
export const vouch = (deps: ApprovalDeps, db: Atomic, content: Content, approver: string, at?: Date): void =>
  write(deps, db, content, { approver, keyId: null, signature: null }, at)

type Proof = Pick<queries.NewApproval, 'keyId' | 'signature'>

function write(
  deps: ApprovalDeps,
  db: Atomic,
  content: Content,
  proof: Proof & { approver: string },
  at = deps.clock.now(),
): void {
  const hash = hashOfContent(deps.secrets, content)
  const row = { kind: content.kind, subject: content.id, hash, at, ...proof }
  queries.insert(db, { ...row, stamp: stampOf(deps.secrets, row) })
}

async function proofOf(
  deps: GivingDeps,
  db: Atomic,
  hash: Buffer,
  { sign, operatorId }: Pick<Approver, 'sign'> & { operatorId: bigint | undefined },
): Promise<Proof> {
  const own = (await readKeys(deps, db)).filter((key) => key.operatorId === operatorId)
  if (!sign) {
    if (!isKeyDemanded(deps, own)) return { keyId: null, signature: null }
    const sentence = 'Sign this: with your passkey at the console, or with the private key that you have added.'
    throw new Refusal('FORBIDDEN', sentence)
  }
  const { credential, signature } = await sign(hash)
  const key = own.find((one) => one.credential.equals(credential))
  if (!key)
    throw new Refusal(
      'FORBIDDEN',
      'This key is not yours. Your keys are on the page Passkeys of the console, which also adds one.',
    )
  if (key.state === 'waiting') {
    throw new Refusal(
      'FORBIDDEN',
      `Your key waits for ${key.needs} other ${key.needs === 1 ? 'operator' : 'operators'} to countersign it.`,
    )
  }
  if (key.state === 'ended') throw new Refusal('FORBIDDEN', 'Your key has been ended.')
  const given = { hash, signature, actor: `operator:${key.operatorId}` as const, noun: 'operator' as const }
  if (!(await takeSignature(deps, db, key, given))) {
    throw new Refusal('SIGNATURE_INVALID', 'The signature does not fit what is approved.')
  }
  return { keyId: key.id, signature }
}

/** Whether the service vouches for somebody without a signature: not where keys are demanded, nor for an operator who has one. */
export async function isVouchedFor(deps: ApprovalDeps, db: Db, actor: string): Promise<boolean> {
  const operatorId = operatorIdIn(actor)
  return !isKeyDemanded(
    deps,
    (await readKeys(deps, db)).filter((key) => key.operatorId === operatorId),
  )
}

const isKeyDemanded = ({ config }: ApprovalDeps, own: readonly OperatorKey[]): boolean =>
  config.environment.operatorKeys || own.some(({ state }) => state === 'trusted')

/** Who has approved a content, the first one first. Rows that nobody of ours wrote, or that are about another content, count for nothing. */
export async function approversOf(deps: ApprovalDeps, db: Db, content: Content): Promise<string[]> {
  return (await approversOfAll(deps, db, [content])).get(content.id) ?? []
}

/** The same of several contents of one kind, by their ids. */
export async function approversOfAll(
  deps: ApprovalDeps,
  db: Db,
  contents: readonly Content[],
): Promise<Map<string, string[]>> {
  const given = await approvalsOfAll(deps, db, contents)
  return new Map([...given].map(([id, rows]) => [id, [...new Set(rows.map(({ approver }) => approver))]]))
}

/** The approvals that count, by the contents' ids, the oldest first. */
export async function approvalsOfAll(
  deps: Omit<ApprovalDeps, 'clock'>,
  db: Db,
  contents: readonly Content[],
): Promise<Map<string, queries.ApprovalRow[]>> {
  const [{ kind } = { kind: 'payout' as const }] = contents
  const ids = contents.map(({ id }) => id)
  const rows = contents.length === 0 ? [] : await queries.approvalsOf(db, kind, ids)
  const keys = rows.some(({ keyId }) => keyId !== null) ? await readKeys(deps, db) : []
  const counting = new Map<string, queries.ApprovalRow[]>(ids.map((id) => [id, []]))
  for (const content of contents) {
    const hash = hashOfContent(deps.secrets, content)
    for (const row of rows) {
      if (row.subject === content.id && (await counts(deps, row, { hash, keys }))) counting.get(row.subject)?.push(row)
    }
  }
  return counting
}

/** Whether a row is an approval of a content with this hash; of whatever it says without one. */
export async function counts(
  { secrets, config }: Omit<ApprovalDeps, 'clock'>,
  row: queries.ApprovalRow,
  { hash, keys }: { hash?: Buffer; keys: readonly OperatorKey[] },
): Promise<boolean> {
  if (!isGenuine(secrets, row)) return false
  if (row.carriedOver) return true
  if (row.hash === null || (hash && !row.hash.equals(hash))) return false
  if (row.keyId === null) return !config.environment.operatorKeys || operatorIdIn(row.approver) === undefined
  const key = keys.find(({ id }) => id === row.keyId)
  if (!key || !countsAt(key, row.at) || row.approver !== `operator:${key.operatorId}`) return false
  return isSignedBy(key, row.hash, row.signature ?? '')
}
