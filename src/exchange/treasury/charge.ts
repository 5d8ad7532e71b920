import type { Atomic, Db } from '../../platform/db/sql.ts'
import { badField, fieldRefusal, Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { unitsAt } from '../../platform/money/amount-in.ts'
import type { Rail } from '../../rails/rail.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { approve } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { Sign } from '../approvals/signature.ts'
import type { Ctx } from '../context.ts'
import { held, methodCosts } from '../ledger/account.ts'
import { heldBalances, lowerAvailable, reserve } from '../ledger/balance.ts'
import { entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { leftUnbooked } from '../settlement/rail-event.ts'
import { type AccountBooking, audit, checked, processorOf } from './balances.ts'
import * as queries from './balances.sql.ts'

/** What a processor says that it still holds for us, in whole units, where no payout follows that could show what it has charged. */
type ChargeBooking = AccountBooking & { left?: string | undefined }

/** How many operators book a charge that only a processor's report shows: none of its payouts proves it. */
const neededByReport = 2

/**
 * Books what a processor or bank charged us on a custody account: monthly fees, fees that it deducts. Audited. CONFLICT for more than what
 * a processor has settled with a payout and has not paid, or holds by the books and not by its own report (`left`). With `left`, this is
 * one operator's approval, and the charge is booked with the second one.
 */
export async function bookCharge(
  ctx: Ctx,
  { sign, ...booking }: ChargeBooking & { sign?: Sign | undefined },
): Promise<{ amount: bigint; approvals: number; needed: number }> {
  const { account, asset, amount } = checked(ctx, booking)
  const processor = processorOf(ctx, account)
  const left = leftAt(booking, processor)
  const needed = left === undefined ? 1 : neededByReport
  return ctx.db.atomic(async (db) => {
    const unsettled = processor ? await takeKept(db, processor, { account, asset, amount, left }) : 0n
    const reported = left === undefined ? {} : { left: booking.left ?? '' }
    if (left !== undefined) {
      const content = await contentOf(db, { account, asset, amount, left })
      const approvals = (await approve(ctx, db, content, { actor: booking.actor, sign })).length
      if (approvals < needed) {
        audit(ctx, db, 'balance.charge_approved', booking, { ...reported, approvals: String(approvals) })
        return { amount, approvals, needed }
      }
    }
    const at = ctx.clock.now()
    const what = { transactionId: null, kind: 'method_cost', ref: await ctx.rowIds.next(), at } as const
    const charge = entry(what, [{ debit: methodCosts, credit: held(account), asset, amount }])
    await post(db, ctx, [charge])
    lowerAvailable(db, [charge])
    if (unsettled > 0n) processor?.noteChange?.(db, { key: String(what.ref), asset, amount: -unsettled, at })
    audit(ctx, db, 'balance.charged', booking, reported)
    return { amount, approvals: needed, needed }
  })
}

/** What is approved: the next charge by a report. The same amounts once more are another charge. */
const contentOf = async (db: Db, { account, asset, amount, left }: Charge): Promise<Content> => ({
  kind: 'charge',
  id: `${account} ${asset} ${await queries.chargesByReport(db, { account, asset })}`,
  account,
  asset,
  amount: String(amount),
  left: String(left),
})

function leftAt({ asset: id, left }: ChargeBooking, processor: Rail | undefined): bigint | undefined {
  const asset = bookedAsset(id)
  if (left === undefined || !asset) return undefined
  if (!processor) throw badField('left', 'Only a processor may keep what it has charged: at a bank, book its debit.')
  return unitsAt(left, asset, 'left')
}

type Charge = { account: string; asset: string; amount: bigint; left: bigint | undefined }

/** Refuses a charge of more than a processor has kept. Gives how much of it no payout has settled, and only `left` shows. */
async function takeKept(db: Atomic, processor: Rail, { account, asset: id, amount, left }: Charge): Promise<bigint> {
  // Locks the account's row: two operators who book a charge at once do it one after the other.
  await reserve(db, [{ place: account, asset: id, amount: 0n }])
  const stated = await processor.balance(id, db)
  const waiting = await leftUnbooked(db, { rail: processor.name, asset: id })
  if ((await processor.balance(id, db)) !== stated)
    throw new Refusal('CONFLICT', `${account} has just reported something. Try again.`)
  const due = ((await heldBalances(db)).get(`${held(account)} ${id}`) ?? 0n) - waiting
  // What is on its way may be gone from the report of the processor, and not be reported as settled yet.
  const planned = left === undefined ? 0n : await queries.plannedAmount(db, { place: account, asset: id })
  const [settled, kept] = [positive(due - stated), positive(due - planned - (left ?? stated))]
  if (amount <= kept) return positive(amount - settled)
  const asset = bookedAsset(id)
  if (!asset) throw new Error(`Unknown asset: ${id}.`)
  const text = (units: bigint): string => `${formatAmount(units, asset)} ${asset.ticker}`
  const unbooked =
    waiting + planned > 0n ? ` ${text(waiting + planned)} that has left it is not booked yet, and is no charge.` : ''
  const open =
    left === undefined
      ? `The payouts of ${account} leave ${text(kept)} open, and no more can be charged.${unbooked} First book the payout that the charge was deducted from, with its settled amount (suspense book ID --as transfer --from ${account} --settled AMOUNT). If none follows, say what ${account} holds by its own report (--left).`
      : `What ${account} holds by its own report leaves ${text(kept)} open, and no more can be charged.${unbooked}`
  throw fieldRefusal('CONFLICT', 'amount', open)
}

const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n)
