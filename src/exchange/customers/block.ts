import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { type CustomerProfile, profilesOf } from './profile.ts'
import * as queries from './profile.sql.ts'
import { reportStatusChanges } from './report-status.ts'

/** What an operator decides about a customer, by the id that one partner sees. The reason stays inside. */
export type BlockOrder = { id: bigint; isBlocked: boolean; reason: string; actor: string }

/** A decision that was taken. An erased person's reason is gone. */
export type Decision = { isBlocked: boolean; actor: string; at: Date; reason: string | undefined }

/**
 * Blocks or unblocks the owner of an e-mail address, for every partner. Audited without the reason, which is stored sealed.
 * Refuses an unknown customer (NOT_FOUND) and a decision that changes nothing (CONFLICT).
 */
export async function decideBlock(ctx: Ctx, { id, isBlocked, reason, actor }: BlockOrder): Promise<CustomerProfile> {
  return ctx.db.atomic(async (db) => {
    await queries.lockSame(db, [id])
    const [before] = await profilesOf(ctx, db, [id])
    if (!before) throw new Refusal('NOT_FOUND', 'There is no such customer.')
    refuseNow(await whyNotDecided(db, id, isBlocked))
    const at = ctx.clock.now()
    const { dataKey } = before
    const sealed = dataKey.seal(reason, reasonPlace(id, at))
    queries.insertBlock(db, id, { isBlocked, actor, at, dataKeyId: dataKey.id, reason: sealed })
    recordAudit(db, {
      at,
      actor,
      action: isBlocked ? 'customer.blocked' : 'customer.unblocked',
      subject: `customer:${id}`,
      before: { status: before.status },
      after: { blocked: isBlocked },
    })
    const after = (await reportStatusChanges(ctx, db, [id])).find((one) => one.id === id)
    if (!after) throw new Error('A customer is missing.')
    return after
  })
}

/** Why a customer cannot be blocked, or unblocked; undefined: it can be decided, if there is such a customer. */
export async function whyNotDecided(db: Db, id: bigint, wanted: boolean): Promise<string | undefined> {
  const [known] = await queries.lastBlock(db, id)
  if (!known || known.isBlocked !== wanted) return undefined
  return wanted ? 'This customer is blocked already.' : 'This customer is not blocked.'
}

/** Every decision about a customer's e-mail address, oldest first. */
export async function decisionsAbout(ctx: Ctx, id: bigint): Promise<Decision[]> {
  const decisions: Decision[] = []
  for (const { partnerCustomerId, dataKeyId, reason, ...rest } of await queries.blocksOf(ctx.db, id)) {
    const place = reasonPlace(partnerCustomerId, rest.at)
    decisions.push({ ...rest, reason: await openReason(ctx, dataKeyId, reason, place) })
  }
  return decisions
}

async function openReason(
  { db, keyring }: Ctx,
  keyId: bigint,
  sealed: Buffer,
  place: string,
): Promise<string | undefined> {
  try {
    return (await keyring.get(db, keyId)).open<string>(sealed, place)
  } catch (error) {
    if (error instanceof ErasedPerson) return undefined
    throw error
  }
}

const reasonPlace = (id: bigint, at: Date): string => `customer_blocks:${id}:${at.toISOString()}`

/** An unknown customer (null) is not blocked. */
export async function isBlocked(db: Db | Atomic, customerId: bigint | null): Promise<boolean> {
  if (customerId === null) return false
  const [last] = await queries.isBlocked(db, customerId)
  return last?.isBlocked ?? false
}

/** Refuses a blocked customer (FORBIDDEN) without giving a reason. */
export async function refuseBlocked(db: Db | Atomic, customerId: bigint | null): Promise<void> {
  if (await isBlocked(db, customerId))
    throw new Refusal('FORBIDDEN', "We can't continue this order. Please contact support.")
}
