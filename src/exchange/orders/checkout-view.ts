import { tidOf } from '../transactions/record.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { PayTo } from '../../rails/rail.ts'
import type { Ctx } from '../context.ts'
import type { Billing } from '../customers/billing-field.ts'
import type { Quote } from '../pricing/quote.ts'
import { instructionOf } from '../settlement/instruction.ts'
import { isPayoutSubmitted } from '../settlement/prepared-payment.ts'
import { slippageOf } from '../settlement/reprice.ts'
import type { Status } from '../transactions/lifecycle.ts'
import { depositMethodOf, depositRailOf, payoutMethodOf } from '../transactions/method.ts'
import { hasReceipt, receiptUrl } from '../transactions/receipt-link.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import type { Personal, RefundView, StatusDetails, Transaction } from '../transactions/transaction.ts'
import { mayChangeMethod } from './change-price.ts'
import { type Bound, boundIn, emailOf, masksPayout, mayCancel, shownFacts, takesProofs } from './giver.ts'
import { type IdentityState, identityStateOf } from './identity.ts'
import { missingSteps, type StepName, takesDetails } from './steps.ts'

/**
 * A transaction as the checkout needs it. It holds personal data: which of it a page may show depends on whether the e-mail address
 * has been verified in that browser. Amounts are in the smallest unit of `from` and `to`; times are business time.
 */
export type CheckoutView = {
  /** Ours; never shown. */
  id: bigint
  /** The order number that partner and customer see. */
  publicId: bigint
  /** What the links of the checkout carry. */
  tid: string
  partnerId: bigint
  partnerName: string
  status: Status
  statusDetails: StatusDetails | null
  errors: { code: string; reason: string }[]
  /** In the order in which they are asked. Empty when payment is next. */
  missing: StepName[]
  /** Null unless the order waits for an identity check. */
  identity: IdentityState | null
  /** The proven address, or the one that the partner passed. */
  email: string | null
  country: string | null
  /** Answers to steps that need no field of their own, by step name. */
  answers: Readonly<Record<string, string>>
  /** Null if none is asked for, and until the e-mail address is verified. */
  billing: Billing | null
  from: Listing
  to: Listing
  /** What the customer pays, and receives for it at `quote`. */
  fromAmount: bigint
  toAmount: bigint
  quote: Quote
  /** All that has arrived in the expected asset. */
  arrived: bigint
  refunds: readonly RefundView[]
  /** How much worse a new price may be, in basis points, before the customer is asked. */
  mostWorse: number
  /** When the price expires, and when the order does. */
  quoteExpiresAt: Date
  expiresAt: Date
  deposit: PaymentMethod
  payout: PaymentMethod
  /** Payment details with our reference; null until the order is complete. */
  payTo: (PayTo & { reference: string }) | null
  /** Confirmations after which coins are final; null for other money. */
  confirmations: number | null
  /** Whether the customer may choose another of `waysToPay`. */
  mayChooseMethod: boolean
  /** The address, or the account of a bank payout. */
  payoutAddress: string | null
  /** Its memo or tag, or the bank's BIC. */
  extraId: string | null
  /** The holder of the account of a bank payout. */
  payoutHolder: string | null
  payoutAddressChangeable: boolean
  /** What the partner passed without an email address; the view has it masked. */
  bound: Bound
  /** Whether its customer may cancel it while it is not paid. */
  mayCancel: boolean
  /** The customer whose order it is; never shown. */
  customerId: bigint | null
  /** Each browser may prove another email address. */
  takesProofs: boolean
  /** Where the partner wants the customer to return to; `$$` is replaced by the order number. */
  redirects: Personal['redirects']
  /** Whether the rail has accepted the payout. */
  isTaken: boolean
  /** What proves the payout; null on a chain where its address is masked. */
  outputHash: string | null
  explorerUrl: string | null
  /** Null until the order is finished or refunded. It shows personal data. */
  receiptUrl: string | null
  locale: string | null
  history: { status: Status; at: Date }[]
}

/** Payment details of one kind, with our reference. */
export type PayToKind<Kind extends string> = Extract<NonNullable<CheckoutView['payTo']>, { kind: Kind }>

/** One way to pay, and what the customer would currently receive. */
export type WayToPay = { method: PaymentMethod; name: string; toAmount: bigint }

/** Reads what the customer's pages show. */
export async function readView(ctx: Ctx, transaction: Transaction): Promise<CheckoutView> {
  const partner = await partnerOf(ctx, transaction)
  const { personal, terms, to, outputHash, status, statusDetails } = transaction
  const [shown, bound] = [shownFacts(personal), boundIn(personal)]
  const mask = to.network.chain?.explorerMask
  const deposit = depositMethodOf(transaction)
  // If only part of the money has arrived, the rest may be sent the same way.
  const isAwaited = status === 'waiting_for_deposit' || (status === 'on_hold' && statusDetails === 'underpaid')
  const instruction = isAwaited ? await instructionOf(ctx.db, transaction.id) : undefined
  return {
    id: transaction.id,
    publicId: transaction.publicId,
    tid: tidOf(transaction),
    partnerId: transaction.partnerId,
    partnerName: partner.name,
    status,
    statusDetails,
    errors: transaction.errors,
    missing: missingSteps(ctx, transaction),
    identity: await identityStateOf(ctx, transaction),
    email: emailOf(transaction),
    country: transaction.country,
    answers: personal.answers ?? {},
    billing: transaction.customerId === null ? null : shown.billing,
    from: transaction.from,
    to,
    fromAmount: transaction.expectedFrom,
    arrived: transaction.fromAmount,
    refunds: transaction.refunds,
    toAmount: transaction.toAmount ?? transaction.expectedTo,
    quote: transaction.quote,
    mostWorse: slippageOf(ctx, partner, ctx.clock.now()).basisPoints,
    quoteExpiresAt: transaction.quoteExpiresAt,
    expiresAt: transaction.expiresAt,
    deposit,
    payout: payoutMethodOf(transaction),
    payTo: instruction ? { ...instruction.payTo, reference: instruction.reference } : null,
    confirmations: depositRailOf(ctx, transaction).deposit.confirmations ?? null,
    mayChooseMethod: mayChangeMethod(transaction) && takesDetails(transaction, { depositMethod: '' }),
    payoutAddress: shown.payoutAddress,
    extraId: shown.payoutExtraId,
    payoutHolder: shown.payoutHolder,
    payoutAddressChangeable: terms.payoutAddressChangeable && !bound.destination,
    bound,
    mayCancel: mayCancel(transaction),
    customerId: transaction.customerId,
    takesProofs: takesProofs(transaction),
    redirects: personal.redirects,
    isTaken: status === 'sending' && (await isPayoutSubmitted(ctx.db, transaction.id)),
    outputHash: to.network.chain && masksPayout(personal) ? null : outputHash,
    explorerUrl: mask && outputHash && !masksPayout(personal) ? mask.split('$$').join(outputHash) : null,
    receiptUrl: hasReceipt(transaction) ? receiptUrl(ctx, transaction) : null,
    locale: terms.locale,
    history: transaction.history.map((move) => ({ status: move.status, at: move.at })),
  }
}
