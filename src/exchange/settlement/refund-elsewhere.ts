import { accountFormOf } from '../../reference/bank/account.ts'
import { listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { lossOf } from './deposit.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { markRefunds, type Refund, refundDue } from './refund.ts'
import type { Origin } from '../../rails/rail.ts'
import type { Wish } from './decide.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { goOn } from './go-on.ts'
import type { MoneyOf } from './money-of.ts'
import { emptyOutcome, writeOutcome } from './outcome.ts'
import { checkDestination, holderFault } from '../transactions/payout-destination.ts'
import { orderRefund } from './send-refunds.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** The first refund of a transaction that nobody knows a way for: it came back, never left, or waits for an address. */
export const refundWithoutWay = (money: Pick<MoneyOf, 'refunds' | 'deposits'>): Refund | undefined =>
  money.refunds.find(
    ({ state, deposit_id: of }) =>
      (state === 'failed' || state === 'address_needed') &&
      money.deposits.every((deposit) => deposit.id !== of || lossOf(deposit) === 0n),
  )

/** Where somebody says that a refund goes: an address and its memo, or an account, its bank's BIC and its holder. */
export type WrittenWay = { address: string; extraId: string; holder?: string }

/**
 * Sends a refund that has no way to where is said, in the caller's block that has locked its transaction. Refuses an address or
 * account that cannot be, with the field at fault. Gives the transaction's moves.
 */
export async function refundElsewhere(
  ctx: Ctx,
  db: Atomic,
  { transaction, refund, wish = 'none' }: { transaction: Transaction; refund: Refund; wish?: Wish },
  written: WrittenWay,
): Promise<Transaction[]> {
  await orderElsewhere(ctx, db, { refund, transaction }, written)
  const outcome = emptyOutcome()
  await goOn(ctx, db, outcome, {
    transaction,
    partner: await partnerOf(ctx, transaction),
    cause: { kind: 'refund_address_given' },
    wish,
  })
  return writeOutcome(ctx, db, outcome)
}

/** Orders the next payout of a refund that has no way, of nobody's money too, to where is said. Refuses what cannot be. */
export async function orderElsewhere(
  ctx: Ctx,
  db: Atomic,
  own: { refund: Refund; transaction: Transaction | undefined },
  written: WrittenWay,
): Promise<void> {
  const { refund } = own
  await orderRefund(ctx, db, own, judged(ctx, refund.asset, written))
  markRefunds(db, [refund.id], 'ordered')
  ctx.queue.enqueue(db, [{ kind: refundDue, key: String(refund.id), runAt: ctx.clock.now() }])
}

/** The way to an address or account: by the first method that pays out there. */
function judged(ctx: Ctx, assetId: string, { holder = '', ...written }: WrittenWay): Origin {
  const listing = listingById(assetId)
  const isCoin = (listing?.network.chain ?? null) !== null
  const ways = (listing?.network.paymentMethods ?? []).flatMap((method) => {
    const rail = ctx.rails.forPayout(method.category, listing?.network.code ?? '')
    return listing && rail && method.withdrawal && (isCoin || accountFormOf(method.category))
      ? [{ rail, check: checkDestination(ctx, { listing, method }, written) }]
      : []
  })
  const [first] = ways
  if (!first) throw new Refusal('CONFLICT', 'Nothing can be sent there. Please turn to our support.')
  const { rail, check } = ways.find((way) => way.check.ok) ?? first
  if (!check.ok) throw badField(check.field === 'address' ? 'refund_address' : 'extra_id', check.reason, check.code)
  const fault = isCoin ? undefined : holderFault(holder)
  if (fault !== undefined) throw badField('full_name', fault)
  return { rail, destination: { address: check.address, extraId: check.extraId, holder: isCoin ? '' : holder } }
}
