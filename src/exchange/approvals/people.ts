import { createHash } from 'node:crypto'

import type { Db } from '../../platform/db/sql.ts'
import { unseal } from '../../platform/privacy/seal.ts'
import * as queries from './approvals.sql.ts'
import { type Content, hashOfContent } from './content.ts'
import type { ApprovalDeps } from './deps.ts'
import { isGenuine } from './stamp.ts'

type Deps = Pick<ApprovalDeps, 'secrets'>

/** The id of an operator whom the audit names; undefined for everybody else. */
export function operatorIdIn(actor: string): bigint | undefined {
  const [, id] = /^operator:(\d{1,19})$/.exec(actor) ?? []
  return id === undefined ? undefined : BigInt(id)
}

/** Where the secret of an operator's second factor is sealed for. */
export const totpPlace = (operatorId: bigint): string => `operators:${operatorId}:totp`

/** Who an operator is and what signs them in, as the exchange itself wrote it down. */
export const personContent = (deps: Deps, row: queries.PersonRow): Content => ({
  ...identityContent(row),
  password: row.passwordHash,
  factor: factorOf(deps, row),
})

/** What was stamped before passwords and second factors were. */
const identityContent = ({ id, email, role, disabledAt }: queries.PersonRow): Content => ({
  kind: 'operator',
  id: String(id),
  email,
  role,
  disabled_at: disabledAt?.toISOString() ?? null,
})

/** The secret itself: it is encrypted again when the master key changes. */
function factorOf({ secrets }: Deps, { id, totpSecret, totpStep }: queries.PersonRow): string | null {
  if (totpSecret === null || totpStep === null) return null
  try {
    return unseal(secrets.sealing, totpSecret, totpPlace(id)).toString('hex')
  } catch {
    return 'not ours'
  }
}

/** An operator as the migration found them that began to stamp passwords: only the owner of the tables wrote these hashes. */
const carriedHash = ({ email, role, disabledAt, passwordHash, totpSecret, totpStep }: queries.PersonRow): Buffer => {
  const hasFactor = totpSecret !== null && totpStep !== null
  const facts = [email, role, disabledAt?.toISOString() ?? '', passwordHash, hasFactor ? 't' : 'f']
  return createHash('sha256').update(facts.join('\n')).digest()
}

/** Whether an operator is who the exchange made, with the role, password and second factor that it gave last. */
export async function isAsWritten(deps: Deps, db: Db, id: bigint): Promise<boolean> {
  const [one] = await queries.provenPeople(db, id)
  return one !== undefined && isWritten(deps, one.person, one.proof)
}

/** The same of one who is not disabled. */
export async function mayAct(deps: Deps, db: Db, id: bigint): Promise<boolean> {
  const [one] = await queries.provenPeople(db, id)
  return one?.person.disabledAt === null && isWritten(deps, one.person, one.proof)
}

/** The operators that were not made, or were changed, behind the exchange's back. */
export async function strangers(deps: Deps, db: Db): Promise<queries.PersonRow[]> {
  const all = await queries.provenPeople(db, null)
  return all.filter(({ person, proof }) => !isWritten(deps, person, proof)).map(({ person }) => person)
}

function isWritten(deps: Deps, row: queries.PersonRow, written: readonly queries.ApprovalRow[]): boolean {
  const { secrets } = deps
  const own = written.filter((one) => isGenuine(secrets, one))
  const stamped = own.filter((one) => !one.carriedOver)
  const last = Math.max(...stamped.map(({ at }) => at.getTime()))
  const isLast = (content: Content): boolean => {
    const hash = hashOfContent(secrets, content)
    return stamped.some((one) => one.at.getTime() === last && one.hash?.equals(hash))
  }
  if (isLast(personContent(deps, row))) return true
  const wasKnown = stamped.length === 0 ? own.some(({ hash }) => hash === null) : isLast(identityContent(row))
  const found = carriedHash(row)
  return wasKnown && own.some((one) => one.carriedOver && one.hash?.equals(found))
}
