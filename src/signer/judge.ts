import { after } from '../platform/lib/clock.ts'
import { accountOf, type Payment, SignerRefusal, type TransferContent } from '../rails/keys/signer.ts'
import { formatAmount } from '../platform/money/amount.ts'
import { bookedAsset } from '../reference/catalog/sync-assets.ts'
import { refuseDearer, refuseUnapproved } from './approval.ts'
import type { Memory } from './memory.ts'
import { type Cap, type DestinationClass, hasNeededCaps, type Policy } from './policy.ts'

/**
 * Refuses a transfer that the policy does not allow, or that could pay a payout twice. What the service says counts for nothing
 * here: only the transfer itself, the policy and what was signed before.
 */
export function judge(policy: Policy, memory: Memory, content: TransferContent, now: Date): void {
  const { payments, claims } = content
  const payouts = payments.map(({ payout }) => payout)
  if (new Set(payouts).size < payouts.length) throw new SignerRefusal('malformed', 'A transfer pays a payout twice.')
  const refused = payments.flatMap((payment) => refusalOf(policy, memory, { payment, content, now }) ?? [])
  const [first] = refused
  if (first) {
    // All that have the same reason at once: each answer costs the service a round.
    const alike = refused.filter(({ code }) => code === first.code).flatMap((one) => one.payouts)
    throw new SignerRefusal(first.code, first.message, alike)
  }
  for (const [subject, claim] of Object.entries(claims)) {
    const known = memory.claim(subject)
    if (known !== undefined && known !== claim) {
      throw new SignerRefusal('already_signed', `The service said something else about ${subject} before.`)
    }
  }
  judgeFee(policy, content)
  judgeCaps(policy, memory, content, now)
}

function refusalOf(
  policy: Policy,
  memory: Memory,
  { payment, content, now }: { payment: Payment; content: TransferContent; now: Date },
): SignerRefusal | undefined {
  const { payout, asset, amount, destination } = payment
  const { exclusive } = content
  if (amount <= 0n) return new SignerRefusal('malformed', 'A payment has no amount.', [payout])
  if (!policy.anyDestination && !isAllowed(policy, payment)) {
    return new SignerRefusal('policy', 'The policy does not allow the destination.', [payout])
  }
  const known = memory.payment(payout)
  if (known) {
    const { payment: before, transfers } = known
    const isSame = before.asset === asset && before.amount === amount && before.destination === destination
    const excludesAll = transfers.every((one) => one.some((each) => exclusive.includes(each)))
    if (!isSame || !excludesAll) {
      return new SignerRefusal('already_signed', 'Another payment was signed for this payout.', [payout])
    }
  }
  const needed = Math.max(
    0,
    ...policy.approvals
      .filter(
        (rule) => rule.asset === asset && togetherWith(memory, { payment, content, now }, rule.windowMs) > rule.above,
      )
      .map(({ count }) => count),
  )
  const asked = { payout, needed, fee: content.fee.amount, now }
  const given = memory.approvalsOf(payment)
  if (known) return refuseDearer(given, asked)
  return needed === 0 ? undefined : refuseUnapproved(policy, given, asked)
}

/** The chain of an asset is the second part of its id. */
const isAllowed = ({ allowed }: Policy, { asset, destination }: Destined): boolean =>
  allowed.has(`${asset.slice(asset.indexOf('-') + 1)}:${destination}`)

type Destined = Pick<Payment, 'asset' | 'destination'>
const classOf = (policy: Policy, payment: Destined): DestinationClass =>
  isAllowed(policy, payment) ? 'listed' : 'customer'

/** What a payment's account gets with it, under any tag: in the same transfer, and within a window before. */
function togetherWith(
  memory: Memory,
  { payment, content, now }: { payment: Payment; content: TransferContent; now: Date },
  windowMs: number | undefined,
): bigint {
  const { payout, asset, amount } = payment
  if (windowMs === undefined) return amount
  const isOther = (one: Payment) =>
    one.payout !== payout && one.asset === asset && accountOf(one) === accountOf(payment)
  const others = content.payments.filter((one) => isOther(one) && !memory.payment(one.payout))
  return amount + sumOf(others) + memory.paidTo(payment, after(now, -windowMs))
}

/** What the chain takes has its own bounds: fees are no payments, and need no destination. */
function judgeFee({ fees }: Policy, { fee: { asset, amount, size, unit } }: TransferContent): void {
  const bound = fees.get(asset.slice(asset.indexOf('-') + 1))
  if (bound?.amount !== undefined && amount > bound.amount) {
    throw new SignerRefusal('fee', 'The fee exceeds what the policy allows for one transfer.')
  }
  const isCounted = bound?.rate !== undefined && size !== undefined && unit !== undefined
  if (isCounted && amount * 10n ** 9n > (bound.rate ?? 0n) * unit * size) {
    throw new SignerRefusal('fee', 'The rate of the fee exceeds what the policy allows.')
  }
}

function judgeCaps(policy: Policy, memory: Memory, content: TransferContent, now: Date): void {
  const { payments, fee } = content
  for (const asset of new Set([...payments.map((payment) => payment.asset), fee.asset])) {
    const own = policy.caps.filter((cap) => cap.asset === asset)
    // A payment that was signed before was counted then: both transfers cannot be confirmed.
    const fresh = payments.filter(({ payout }) => !memory.payment(payout))
    if (!hasNeededCaps(own)) {
      throw new SignerRefusal(
        'policy',
        `The policy lacks a cap for one transfer or per day of ${nameOf(asset)}.`,
        fresh.map(({ payout }) => payout),
      )
    }
    const left = own.map((cap) => roomUnder(cap, { policy, memory, content, now }))
    // What counts nothing under a cap is not refused by it, however little it leaves: a cap may have been lowered below what was spent.
    const exceeded = left.find(({ added, room }) => added > 0n && added > room)
    if (!exceeded) continue
    const { cap, counted } = exceeded
    const room = left.reduce(
      (least, one) => (one.room < least && one.cap.class === cap.class ? one.room : least),
      exceeded.room,
    )
    const payouts = counted.map(({ payout }) => payout)
    const message = `The transfer exceeds the cap of ${capText(cap)}.`
    throw new SignerRefusal('cap', message, payouts, room > 0n ? room : 0n)
  }
}

/** What a transfer adds under a cap, what the cap leaves for it, and the new payments that count. */
function roomUnder(
  cap: Cap,
  { policy, memory, content, now }: { policy: Policy; memory: Memory; content: TransferContent; now: Date },
): { cap: Cap; counted: Payment[]; added: bigint; room: bigint } {
  const { asset, windowMs, class: only } = cap
  const counts = (payment: Destined) =>
    payment.asset === asset && (only === undefined || classOf(policy, payment) === only)
  const all = content.payments.filter(counts)
  const fresh = all.filter(({ payout }) => !memory.payment(payout))
  const fee = only === undefined && content.fee.asset === asset ? content.fee.amount : 0n
  const counted = only === undefined ? content.payments.filter(({ payout }) => !memory.payment(payout)) : fresh
  const since = windowMs === undefined ? undefined : after(now, -windowMs)
  const used =
    since === undefined
      ? sumOf(all) - sumOf(fresh)
      : only === undefined
        ? memory.spentSince(asset, since)
        : memory.paidSince(since, counts)
  return { cap, counted, added: sumOf(fresh) + fee, room: cap.max - used }
}

const times: Readonly<Record<string, string>> = { transaction: 'for one transfer', PT1H: 'per hour', P1D: 'per day' }
const classes = { listed: ' to listed destinations', customer: ' to customers' }
const capText = ({ asset, per, max, class: only }: Cap): string => {
  const booked = bookedAsset(asset)
  return `${booked ? formatAmount(max, booked) : max} ${nameOf(asset)} ${times[per] ?? per}${only ? classes[only] : ''}`
}

function nameOf(id: string): string {
  const asset = bookedAsset(id)
  if (!asset) return id
  return asset.network === asset.ticker ? asset.ticker : `${asset.ticker} on ${asset.network}`
}

const sumOf = (payments: readonly Payment[]): bigint => payments.reduce((sum, { amount }) => sum + amount, 0n)

/** What approvers sign to end one halt. */
export const resumeContent = (halt: string): string => `cambio signer resume 1\n${halt}`
