import { ended, type Status } from '../transactions/lifecycle.ts'
import type { StatusDetails } from '../transactions/transaction.ts'

/** Money of one deposit, all or a part of it. */
export type Part = { depositId: bigint; asset: string; amount: bigint }

/** What stands of a transaction's money, whatever it was that changed last. */
export type Standing = {
  status: Status
  details: StatusDetails | null
  /** The asset that was agreed, and how much of it. */
  expected: string
  agreed: bigint
  /** What of each deposit is neither exchanged nor refunded nor taken back, oldest deposit first. */
  free: readonly Part[]
  /** An exchange of it is booked and has not been mirrored. */
  isExchanged: boolean
  /** Money that was exchanged was taken back: what is owed now is for a person to decide. */
  isLost: boolean
  /** `open`: ordered and not ended. `bounced`, `never`: came back, or never left, and is owed again. */
  payouts: { open: boolean; paid: boolean; bounced: boolean; never: boolean }
  /** `open`: ordered or sent. `lost`: came back, or never left, and nobody has said where to. */
  refunds: { open: boolean; addressNeeded: boolean; failed: boolean; paid: boolean }
}

/**
 * What holds of a price for an amount: the one that was agreed; a new one within the slippage bound; a new one beyond it; none at
 * all at this moment.
 */
export type PriceWord = 'agreed' | 'near' | 'far' | 'none'

/** What may be exchanged, and at which price. */
export type Bounds = {
  /** How much less than agreed may come and is exchanged all the same. */
  tolerance: bigint
  /** The least and the most that may be exchanged now: of the pair, of the account, of the customer. */
  least: bigint
  most: bigint
  priceOf(amount: bigint): PriceWord
  /** The customer is blocked, or a rule of risk says that a person must look. */
  isSuspect: boolean
}

/**
 * Who asks. Nobody: something happened, and rules alone decide. The customer accepts the price of this moment for what came, or
 * wants it back. A person of the operator's lets it go on, or gives it back.
 */
export type Wish = 'none' | 'accept' | 'refund' | 'release'

/** What is to be done with a transaction's money. `to`: where the transaction is then. */
export type Decision = {
  exchange: { amount: bigint; parts: Part[]; isAgreed: boolean } | undefined
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
  address_needed: 'Nobody has said where the money goes now.',
  review: 'A person must decide.',
}

/**
 * The one decision: what happens to the money of a transaction. Asked after everything that changes it. Whatever came in whatever
 * order, nothing is used twice, and a transaction ends only when nothing is free, on its way or waiting: it then owes nobody.
 */
export function decide(standing: Standing, bounds: Bounds, wish: Wish = 'none'): Decision {
  const { status, payouts } = standing
  if ((status === 'exchanging' || status === 'sending') && payouts.open) return stay(standing)
  if (isHeld(standing) && wish === 'none') return stay(standing)
  if (wish === 'refund') return refunded(standing)

  const wanted = exchangeOf(standing, bounds, wish)
  if (wanted) return wanted
  return standing.free.length > 0 ? hold('wrong_asset') : endOf(standing)
}

/** It waits for somebody's word, whatever else happens: a person's of ours, or where the money goes. */
function isHeld({ status, details, isLost, payouts, refunds }: Standing): boolean {
  if (status !== 'on_hold') return false
  const isAsked = refunds.addressNeeded || (payouts.bounced && !isLost)
  return details === 'review' || (details === 'address_needed' && isAsked)
}

/** What is free of the asset that was agreed. */
export const freeExpected = ({ free, expected }: Pick<Standing, 'free' | 'expected'>): bigint =>
  sumOf(free.filter(({ asset }) => asset === expected))

const sumOf = (parts: readonly Part[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)

const stay = ({ status, details }: Standing): Decision => ({
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

/** Everything that is free goes back. */
const refunded = (standing: Standing): Decision =>
  standing.free.length > 0 ? { ...hold('refund_pending'), refund: [...standing.free] } : endOf(standing)

/** What is exchanged of the agreed asset, or why not; undefined where nothing of it is free. */
function exchangeOf(standing: Standing, bounds: Bounds, wish: Wish): Decision | undefined {
  const { expected, agreed, status } = standing
  const free = freeExpected(standing)
  if (free === 0n) return undefined
  if (bounds.isSuspect && wish !== 'release') return hold('review')

  const isFirst = !standing.isExchanged && !ended.has(status)
  const isEnough = isFirst && wish === 'none' ? free >= agreed - bounds.tolerance : free >= bounds.least
  if (!isEnough && wish !== 'release' && !(isFirst && free >= agreed - bounds.tolerance)) return hold('underpaid')

  const most = isFirst && bounds.most < agreed ? agreed : bounds.most
  const amount = free < most || wish === 'release' ? free : most
  // A customer whose own limit is used up.
  if (amount < free && amount < bounds.least) return hold('review')
  const price = bounds.priceOf(amount)
  if (price === 'none' || (price === 'far' && wish === 'none')) return hold('late')

  const [parts, rest] = split(standing.free, expected, amount)
  return {
    exchange: { amount, parts, isAgreed: price === 'agreed' },
    refund: rest,
    to: 'exchanging',
    details: null,
    reason: undefined,
  }
}

/** Takes an amount of an asset out of parts, the oldest first: what was taken, and what of the asset is left. */
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

/** Where a transaction is in which nothing is free. */
function endOf(standing: Standing): Decision {
  const { isLost, payouts, refunds } = standing
  if (payouts.open) return stay(standing)
  if (refunds.addressNeeded) return hold('address_needed')
  if (refunds.failed || payouts.never) return hold('review')
  if (payouts.bounced) return hold(isLost ? 'review' : 'address_needed')
  if (refunds.open) return hold('refund_pending')
  if (payouts.paid) return ending('finished')
  return refunds.paid ? ending('refunded') : hold('review')
}

const ending = (to: Status): Decision => ({ exchange: undefined, refund: [], to, details: null, reason: undefined })
