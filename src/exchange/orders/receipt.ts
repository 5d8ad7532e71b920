import { listingById, type Listing } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { ratioText } from '../../platform/money/ratio.ts'
import { feeNames, percentText } from '../pricing/fees.ts'
import type { CostPart, TotalCost } from '../pricing/total-cost.ts'
import type { Company } from '../settings.ts'
import { isBound, masksPayout, shownFacts } from './giver.ts'
import type { Destination } from '../../rails/rail.ts'
import { costOfTransaction, refundedMoney } from '../transactions/cost.ts'
import { readEvenErased } from '../transactions/load.ts'
import { hasReceipt, publicIdInReceiptToken } from '../transactions/receipt-link.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { refundedTo } from './refunded-to.ts'

/** What a receipt states. Amounts are in the smallest unit of their listing. */
export type Receipt = {
  transaction: Transaction
  number: string
  /** When the transaction ended. */
  issuedAt: Date
  company: Company | undefined
  isRefund: boolean
  paid: { amount: bigint; listing: Listing }
  received: { amount: bigint; listing: Listing }
  cost: TotalCost
  /** Where the money went; null after the customer was erased, and for a refund to a card. */
  address: string | null
  extraId: string | null
  holder: string
  /** Null after the customer was erased, and on a chain where the address is masked. */
  hash: string | null
  explorerUrl: string | null
}

/** The receipt that a link leads to; undefined for any other token, and while the transaction has not ended. */
export async function readReceipt(ctx: Ctx, token: string): Promise<Receipt | undefined> {
  const publicId = publicIdInReceiptToken(ctx, token)
  const transaction = publicId === undefined ? undefined : await readEvenErased(ctx, ctx.db, publicId)
  if (!transaction || !hasReceipt(transaction)) return undefined
  return receiptOf(ctx, transaction, await refundedTo(ctx, transaction))
}

/**
 * The receipt of a transaction that is finished or refunded; `back` is where a refund went. An erased customer's says nothing of where the
 * money went.
 */
export function receiptOf(
  { config }: Pick<Ctx, 'config'>,
  transaction: Transaction,
  back: Destination | null,
): Receipt {
  const { publicId, history, updatedAt, personal, isErased = false, status } = transaction
  const isRefund = status === 'refunded'
  const { paid, received, hash } = amountsOf(transaction)
  const shown = shownFacts(personal)
  const { chain } = received.listing.network
  const isMasked = chain !== null && (isRefund ? isBound(personal) : masksPayout(personal))
  const shownHash = isErased || isMasked ? null : hash
  return {
    transaction,
    number: `R-${publicId}`,
    issuedAt: history.at(-1)?.at ?? updatedAt,
    company: config.company,
    isRefund,
    paid,
    received,
    cost: costOfTransaction(transaction),
    address: isRefund ? (back?.address ?? null) : shown.payoutAddress,
    extraId: isRefund ? (back?.extraId ?? null) : shown.payoutExtraId,
    holder: (isRefund ? back?.holder : shown.payoutHolder) ?? '',
    hash: shownHash,
    explorerUrl: chain?.explorerMask && shownHash ? chain.explorerMask.split('$$').join(shownHash) : null,
  }
}

function amountsOf(transaction: Transaction): Pick<Receipt, 'paid' | 'received' | 'hash'> {
  const { status, from, to, toAmount, expectedTo, expectedFrom, outputHash } = transaction
  if (status !== 'refunded') {
    const received = { amount: toAmount ?? expectedTo, listing: to }
    return { paid: { amount: expectedFrom, listing: from }, received, hash: outputHash }
  }
  const { asset, paid, sent, hash } = refundedMoney(transaction)
  const listing = listingById(asset.id) ?? from
  return { paid: { amount: paid, listing }, received: { amount: sent, listing }, hash }
}

/** A receipt as data. A refund has no rate: nothing was exchanged. */
export function receiptRecord({ transaction, paid, received, cost, isRefund, ...receipt }: Receipt) {
  const inWire = ({ amount, listing: { asset } }: Receipt['paid']) => ({
    amount: formatAmount(amount, asset),
    currency: asset.ticker,
  })
  const costs = (amount: bigint) => ({ amount: formatAmount(amount, cost.asset), currency: cost.asset.ticker })
  return {
    number: receipt.number,
    transaction_id: String(transaction.publicId),
    issued_at: receipt.issuedAt.toISOString(),
    company: receipt.company ?? null,
    paid: inWire(paid),
    received: inWire(received),
    fees: cost.parts.map(({ kind, amount }) => ({ name: partNames[kind], ...costs(amount) })),
    total_cost: { ...costs(cost.amount), percentage: percentText(cost.basisPoints) },
    rate: isRefund ? null : transaction.quote.rate,
    market_price: isRefund ? null : ratioText(cost.marketPrice),
    address: receipt.address,
    hash: receipt.hash,
  }
}

const partNames: Readonly<Record<CostPart['kind'], string>> = {
  ...feeNames,
  network: 'Network fee',
  spread: 'Spread',
  refund: 'Refund cost',
}
