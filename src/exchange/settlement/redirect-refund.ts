import { accountFormOf } from '../../reference/bank/account.ts'
import { listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Origin } from '../../rails/rail.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { checkDestination, holderFault } from '../transactions/payout-destination.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { enqueueRefunds, type Refund, refunds } from './refund.ts'
import { orderRefundPayout } from './send-refunds.ts'
import { settleNow } from './settle.ts'
import { transition } from './transition.ts'

/** Where somebody says that a refund goes: an address and its memo, or an account, its bank's BIC and its holder. */
export type RefundDestination = { address: string; extraId: string; holder?: string }

/**
 * Sends a refund without a known destination to the given one, in the caller's block that has locked its transaction.
 * Refuses an impossible address or account, with the field at fault.
 */
export async function redirectRefund(
  ctx: Ctx,
  db: Atomic,
  { transaction, refund, request = 'none' }: { transaction: Transaction; refund: Refund; request?: 'none' | 'release' },
  written: RefundDestination,
): Promise<Transaction> {
  await orderRedirected(ctx, db, { refund, transaction }, written)
  const subject = { transaction, partner: await partnerOf(ctx, transaction) }
  return (await settleNow(ctx, db, subject, { kind: 'refund_address_given', request })).transaction
}

/** Orders the next payout of a refund to the given destination; of money from suspense without a transaction. Refuses what cannot be. */
export async function orderRedirected(
  ctx: Ctx,
  db: Atomic,
  own: { refund: Refund; transaction: Transaction | undefined },
  written: RefundDestination,
): Promise<void> {
  const { refund } = own
  await orderRefundPayout(ctx, db, own, wayTo(ctx, refund.asset, written))
  transition(db, refunds, [{ id: refund.id }], refund.state, 'ordered')
  enqueueRefunds(ctx, db, [refund])
}

/** The way to an address or account: by the first method that pays out there. */
function wayTo(ctx: Ctx, assetId: string, { holder = '', ...written }: RefundDestination): Origin {
  const listing = listingById(assetId)
  const isCoin = (listing?.network.chain ?? null) !== null
  const ways = (listing?.network.paymentMethods ?? []).flatMap((method) => {
    const rail = ctx.rails.forPayout(method.category, listing?.network.code ?? '')
    return listing && rail && method.withdrawal && (isCoin || accountFormOf(method.category))
      ? [{ rail, check: checkDestination(ctx, { listing, method, isRefund: true }, written) }]
      : []
  })
  const [first] = ways
  if (!first) throw new Refusal('CONFLICT', 'Nothing can be sent there. Please contact support.')
  const { rail, check } = ways.find((way) => way.check.ok) ?? first
  if (!check.ok) throw badField(check.field === 'address' ? 'refund_address' : 'extra_id', check.reason, check.code)
  const fault = isCoin ? undefined : holderFault(holder)
  if (fault !== undefined) throw badField('full_name', fault)
  return { rail, destination: { address: check.address, extraId: check.extraId, holder: isCoin ? '' : holder } }
}
