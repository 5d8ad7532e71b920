import { ended, type Status } from '../transactions/lifecycle.ts'
import type { StatusDetails } from '../transactions/transaction.ts'

/** Money of one deposit, all or a part of it. */
export type Part = { depositId: bigint; asset: string; amount: bigint }

/** Where a transaction's money is, whatever changed it last. */
export type FundsPosition = {
  status: Status
  details: StatusDetails | null
  /** The asset that was agreed, and how much of it. */
  expected: string
  agreed: bigint
  /** The part of each deposit that is neither exchanged nor refunded nor reversed, oldest deposit first. */
  free: readonly Part[]
  /** How much of it exchanges are booked for that have not been reversed. */
  exchanged: bigint
  /** Money that was exchanged was reversed: what is owed now is for staff to decide. */
  isLost: boolean
  /** `open`: ordered and not ended. `returned`, `failed`: came back, or never left, and is owed again. */
  payouts: { open: boolean; paid: boolean; returned: boolean; failed: boolean }
  /** `open`: ordered or sent. `failed`: came back, or never left, and where to send it is not known. */
  refunds: { open: boolean; addressNeeded: boolean; failed: boolean; paid: boolean }
}

/** Which price an amount has: the one that was agreed; a new one within the slippage limit; one beyond it; none at this moment. */
export type PriceVerdict = 'agreed' | 'near' | 'far' | 'none'

/** What may be exchanged, and at which price. */
export type Limits = {
  /** How much less than agreed may come and is exchanged all the same. */
  tolerance: bigint
  /** The least and the most that may be exchanged now: of the pair, of the account, of the customer. */
  least: bigint
  most: bigint
  /** How much the agreed price covers: what was agreed, and the tolerance on top. What exceeds it is priced when it arrives. */
  covered: bigint
  priceOf(amount: bigint): PriceVerdict
  /** The price, at this moment, of the part of an amount that the agreed price does not cover. */
  excessPriceOf(amount: bigint): Exclude<PriceVerdict, 'agreed'>
  /** The customer is blocked, or a rule of risk says that staff must look. */
  needsReview: boolean
  /** Why, where more can be said of it. */
  reviewReason?: string | undefined
}

/**
 * What is asked for. `none`: something happened, and the rules decide. The customer accepts the price of this moment for what came
 * (`accept`), or wants it back (`refund`). Staff release it, or give it back.
 */
export type FundsRequest = 'none' | 'accept' | 'refund' | 'release'

/** What is to be done with a transaction's money, and the status that it leads to. */
export type Decision = {
  /** `atAgreedPrice`: how much of the amount; the rest is exchanged at the price of this moment. */
  exchange: { amount: bigint; parts: Part[]; atAgreedPrice: bigint } | undefined
  refund: Part[]
  to: Status
  details: StatusDetails | null
  reason: string | undefined
}

/** Why a transaction is held, for its history. */
const reasons: Partial<Record<StatusDetails, string>> = {
  underpaid: 'Less money arrived than can be exchanged as agreed.',
  late: 'Money arrived when its price no longer held.',
  wrong_asset: 'Money of another currency arrived.',
  refund_pending: 'Money goes back.',
  address_needed: 'Where to send the money is not known.',
  review: 'A person must decide.',
}

/**
 * Decides what happens to the money of a transaction, after anything that changes it. Whatever came in whatever order, nothing is
 * used twice, and a transaction ends only when nothing is free, on its way or waiting: it then owes nothing.
 */
export function decide(position: FundsPosition, limits: Limits, request: FundsRequest = 'none'): Decision {
  const { status, payouts } = position
  if ((status === 'exchanging' || status === 'sending') && payouts.open) return stay(position)
  if (isHeld(position) && request === 'none') return stay(position)
  if (request === 'refund') return refunded(position)

  const wanted = exchangeOf(position, limits, request)
  if (wanted) return wanted
  return position.free.length > 0 ? hold('wrong_asset') : endOf(position)
}

/** It waits for staff, or for an address, whatever else happens. */
function isHeld({ status, details, isLost, payouts, refunds }: FundsPosition): boolean {
  if (status !== 'on_hold') return false
  const isAsked = refunds.addressNeeded || (payouts.returned && !isLost)
  return details === 'review' || (details === 'address_needed' && isAsked)
}

/** What is free of the asset that was agreed. */
export const freeExpected = ({ free, expected }: Pick<FundsPosition, 'free' | 'expected'>): bigint =>
  sumOf(free.filter(({ asset }) => asset === expected))

const sumOf = (parts: readonly Part[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)

const stay = ({ status, details }: FundsPosition): Decision => ({
  exchange: undefined,
  refund: [],
  to: status,
  details,
  reason: undefined,
})

const hold = (details: StatusDetails): Decision => ({
  exchange: undefined,
  refund: [],
  to: 'on_hold',
  details,
  reason: reasons[details],
})

const refunded = (position: FundsPosition): Decision =>
  position.free.length > 0 ? { ...hold('refund_pending'), refund: [...position.free] } : endOf(position)

/** What is exchanged of the agreed asset, or why not; undefined where nothing of it is free. */
function exchangeOf(position: FundsPosition, limits: Limits, request: FundsRequest): Decision | undefined {
  const { expected, agreed, status } = position
  const free = freeExpected(position)
  if (free === 0n) return undefined
  if (limits.needsReview && request !== 'release') {
    const review = hold('review')
    return { ...review, reason: limits.reviewReason ?? review.reason }
  }

  const isFirst = position.exchanged === 0n && !ended.has(status)
  const isEnough = isFirst && request === 'none' ? free >= agreed - limits.tolerance : free >= limits.least
  if (!isEnough && request !== 'release' && !(isFirst && free >= agreed - limits.tolerance)) return hold('underpaid')

  const most = isFirst && limits.most < agreed ? agreed : limits.most
  const amount = free < most || request === 'release' ? free : most
  // A customer whose own limit is used up.
  if (amount < free && amount < limits.least) return hold('review')
  const price = limits.priceOf(amount)
  if (price === 'none' || (price === 'far' && request === 'none')) return hold('late')

  const atAgreedPrice = price === 'agreed' ? least(amount, limits.covered) : 0n
  const isWhole = price !== 'agreed' || amount <= limits.covered || isExcessExchanged(limits, amount, request)
  const used = isWhole ? amount : atAgreedPrice
  const [parts, others] = split(position.free, expected, used)
  return {
    exchange: { amount: used, parts, atAgreedPrice },
    refund: split(others, expected, amount - used)[1],
    to: 'exchanging',
    details: null,
    reason: undefined,
  }
}

/**
 * Whether what exceeds the agreed price is exchanged along with the rest. If not, it stays free and is decided about once the
 * payout is made: its customer may have to accept its price.
 */
function isExcessExchanged({ excessPriceOf }: Limits, amount: bigint, request: FundsRequest): boolean {
  const price = excessPriceOf(amount)
  return price === 'near' || (price === 'far' && request !== 'none')
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** Takes an amount of an asset out of parts, the oldest first: what was taken, and what is left of the asset. */
export function split(free: readonly Part[], asset: string, amount: bigint): [taken: Part[], rest: Part[]] {
  const taken: Part[] = []
  const rest: Part[] = []
  let left = amount
  for (const part of free.filter((one) => one.asset === asset)) {
    const use = part.amount < left ? part.amount : left
    if (use > 0n) taken.push({ ...part, amount: use })
    if (part.amount > use) rest.push({ ...part, amount: part.amount - use })
    left -= use
  }
  return [taken, rest]
}

/** Decides where nothing is free. */
function endOf(position: FundsPosition): Decision {
  const { isLost, payouts, refunds } = position
  if (payouts.open) return stay(position)
  if (refunds.addressNeeded) return hold('address_needed')
  if (payouts.failed) return hold('review')
  // It still has to go back: staff order it again, the same way or to another account.
  if (refunds.failed) return hold('refund_pending')
  if (payouts.returned) return hold(isLost ? 'review' : 'address_needed')
  if (refunds.open) return hold('refund_pending')
  if (payouts.paid) return ending('finished')
  return refunds.paid ? ending('refunded') : hold('review')
}

const ending = (to: Status): Decision => ({ exchange: undefined, refund: [], to, details: null, reason: undefined })

/** Whether what is free would be exchanged if its customer accepted the price of this moment. */
export const couldExchange = (position: FundsPosition, limits: Limits): boolean =>
  decide(position, limits, 'accept').exchange !== undefined
