import { approve, vouch } from '../approvals/approve.ts'
import {
  type AddedAt,
  insertKey,
  keyContent,
  keyEndContent,
  type OperatorKey,
  readKeys,
} from '../approvals/operator-keys.ts'
import { mayAct } from '../approvals/people.ts'
import type { NewKey } from '../approvals/approvals.sql.ts'
import type { Sign } from '../approvals/signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { listOperators, type Operator, operatorSubject } from './operator.ts'

type Deps = Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>

/** Every operator's keys, oldest first. */
export const listKeys = (ctx: Deps): Promise<OperatorKey[]> => readKeys(ctx, ctx.db)

/** The keys that an operator signs with: none that waits for countersignatures. */
export const trustedKeys = async (ctx: Deps, operatorId: bigint): Promise<OperatorKey[]> =>
  (await listKeys(ctx)).filter((key) => key.operatorId === operatorId && key.state === 'trusted')

/** Whether an operator has a passkey that signs in: a second factor. */
export const hasTrustedPasskey = async (ctx: Deps, operatorId: bigint): Promise<boolean> =>
  (await trustedKeys(ctx, operatorId)).some(({ kind }) => kind === 'passkey')

/**
 * Adds a key of an operator, and countersigns it at once where somebody who may is there: `sign` by `by`. Until enough earlier keys
 * have countersigned it, what it signs counts for nothing. Audited. CONFLICT for a key that is known.
 */
export const addKey = (
  ctx: Deps,
  operator: Pick<Operator, 'id' | 'email'>,
  key: NewKey,
  how: Adding,
): Promise<OperatorKey> => ctx.db.atomic((db) => addKeyIn(ctx, db, operator, key, how))

type Adding = { at: AddedAt; actor: string; by?: string | undefined; sign?: Sign | undefined }

/** The same in the caller's block. */
export async function addKeyIn(
  ctx: Deps,
  db: Atomic,
  operator: Pick<Operator, 'id' | 'email'>,
  key: NewKey,
  { at, actor, by, sign }: Adding,
): Promise<OperatorKey> {
  const added = await insertKey(db, { operatorId: operator.id, email: operator.email, at: ctx.clock.now() }, key)
  const content = keyContent(added)
  vouch(ctx, db, content, at)
  if (sign) await approve(ctx, db, content, { actor: by ?? actor, sign })
  const after = { operator: operatorSubject(operator), kind: key.kind, name: key.name }
  audit(ctx, db, added.id, { actor, action: 'operator_key.added', after })
  return keyIn(ctx, db, added.id)
}

/** Countersigns a key of another operator with one's own. Audited. CONFLICT where it is not waiting for that. */
export function countersignKey(ctx: Deps, id: bigint, operator: Operator, sign?: Sign): Promise<OperatorKey> {
  return ctx.db.atomic(async (db) => {
    const key = await keyIn(ctx, db, id)
    refuseNow(whyNotCountersigned(key))
    await approve(ctx, db, keyContent(key), { actor: operatorSubject(operator), sign })
    audit(ctx, db, id, { actor: operatorSubject(operator), action: 'operator_key.countersigned', after: null })
    return keyIn(ctx, db, id)
  })
}

/** Ends a key: it signs nothing any more. What it signed before stays signed. Audited. */
export function endKey(ctx: Deps, id: bigint, actor: string): Promise<OperatorKey> {
  return ctx.db.atomic(async (db) => {
    const key = await keyIn(ctx, db, id)
    refuseNow(whyNotEnded(key))
    vouch(ctx, db, keyEndContent(key), actor)
    audit(ctx, db, id, { actor, action: 'operator_key.ended', after: null })
    return keyIn(ctx, db, id)
  })
}

/** Why nobody has to countersign a key; undefined: somebody has. */
export const whyNotCountersigned = ({ state }: OperatorKey): string | undefined =>
  state === 'waiting' ? undefined : `This key is ${state}: nobody has to countersign it.`

/** Why a key cannot be ended; undefined: it can. */
export const whyNotEnded = ({ state }: OperatorKey): string | undefined =>
  state === 'ended' ? 'This key has been ended already.' : undefined

/** Whose key signs. INVALID_TOKEN for a key that does not count, or has no operator who may act. */
export async function operatorOfKey(ctx: Deps, sign: Sign | undefined): Promise<Operator> {
  const credential = (await sign?.(Buffer.alloc(32)))?.credential
  const key = (await listKeys(ctx)).find((one) => credential && one.credential.equals(credential))
  const operator = (await listOperators(ctx)).find(({ id }) => id === key?.operatorId)
  if (key?.state === 'trusted' && operator && (await mayAct(ctx, ctx.db, operator.id))) return operator
  throw new Refusal(
    'INVALID_TOKEN',
    'This key has no operator, or does not count yet. The page Passkeys of the console says which do.',
  )
}

async function keyIn(ctx: Deps, db: Atomic, id: bigint): Promise<OperatorKey> {
  const key = (await readKeys(ctx, db)).find((one) => one.id === id)
  if (!key) throw new Refusal('NOT_FOUND', 'There is no such key.')
  return key
}

const audit = (
  { clock }: Deps,
  db: Atomic,
  id: bigint,
  { actor, action, after }: { actor: string; action: AuditAction; after: Record<string, unknown> | null },
): void => recordAudit(db, { at: clock.now(), actor, action, subject: `operator_key:${id}`, before: null, after })
