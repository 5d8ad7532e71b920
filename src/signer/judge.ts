import { after } from '../platform/lib/clock.ts'
import { type Payment, SignerRefusal, type TransferContent } from '../rails/keys/signer.ts'
import type { Memory } from './memory.ts'
import type { Policy } from './policy.ts'

/**
 * Refuses a transfer that the policy does not allow, or that could pay a payout twice. What the service says counts for nothing
 * here: only the transfer itself, the policy and what was signed before.
 */
export function judge(policy: Policy, memory: Memory, content: TransferContent, now: Date): void {
  const { payments, claims } = content
  const payouts = payments.map(({ payout }) => payout)
  if (new Set(payouts).size < payouts.length) throw new SignerRefusal('malformed', 'A transfer pays a payout twice.')
  for (const payment of payments) judgePayment(policy, memory, payment, content)
  for (const [subject, claim] of Object.entries(claims)) {
    const known = memory.claim(subject)
    if (known !== undefined && known !== claim) {
      throw new SignerRefusal('already_signed', `The service said something else about ${subject} before.`)
    }
  }
  judgeCaps(policy, memory, content, now)
}

function judgePayment(policy: Policy, memory: Memory, payment: Payment, { exclusive }: TransferContent): void {
  const { payout, asset, amount, destination } = payment
  if (amount <= 0n) throw new SignerRefusal('malformed', 'A payment has no amount.', [payout])
  if (!policy.anyDestination && !policy.allowed.has(destination)) {
    throw new SignerRefusal('policy', `The policy does not allow the destination of payout ${payout}.`, [payout])
  }
  const known = memory.payment(payout)
  if (known) {
    const { payment: before, transfers } = known
    const isSame = before.asset === asset && before.amount === amount && before.destination === destination
    const excludesAll = transfers.every((one) => one.some((each) => exclusive.includes(each)))
    if (!isSame || !excludesAll) {
      throw new SignerRefusal('already_signed', `Another payment was signed for payout ${payout}.`, [payout])
    }
  }
  const needed = Math.max(
    0,
    ...policy.approvals.filter((rule) => rule.asset === asset && amount > rule.above).map(({ count }) => count),
  )
  const given = [...memory.approversOf(approvalContent(payment))].filter((name) => policy.approvers.has(name)).length
  if (given < needed) {
    throw new SignerRefusal('approval_missing', `Payout ${payout} has ${given} of ${needed} approvals.`, [payout])
  }
}

function judgeCaps({ caps }: Policy, memory: Memory, { payments, fee }: TransferContent, now: Date): void {
  // A payment that was signed before was counted then: both transfers cannot be confirmed.
  const fresh = payments.filter(({ payout }) => !memory.payment(payout))
  const payouts = fresh.map(({ payout }) => payout)
  for (const asset of new Set([...payments.map((payment) => payment.asset), fee.asset])) {
    const own = caps.filter((cap) => cap.asset === asset)
    if (!own.some(({ per }) => per === 'transaction') || !own.some(({ per }) => per === 'P1D')) {
      throw new SignerRefusal('policy', `The policy needs a cap per transaction and per day for ${asset}.`, payouts)
    }
    const feeOf = fee.asset === asset ? fee.amount : 0n
    const whole = feeOf + sumOf(payments.filter((payment) => payment.asset === asset))
    const added = feeOf + sumOf(fresh.filter((payment) => payment.asset === asset))
    for (const { per, windowMs, max } of own) {
      const leaving = windowMs === undefined ? whole : added + memory.spentSince(asset, after(now, -windowMs))
      if (leaving > max) {
        throw new SignerRefusal('cap', `The transfer exceeds the cap of ${asset} per ${per}.`, payouts)
      }
    }
  }
}

const sumOf = (payments: readonly Payment[]): bigint => payments.reduce((sum, { amount }) => sum + amount, 0n)

/** What approvers sign: exactly one payment. Amounts are in smallest units. */
export const approvalContent = ({ payout, asset, amount, destination }: Payment): string =>
  ['cambio payment approval 1', payout, asset, String(amount), destination].join('\n')

/** What approvers sign to end one halt. */
export const resumeContent = (halt: string): string => `cambio signer resume 1\n${halt}`
