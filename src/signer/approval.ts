import { type Payment, SignerRefusal } from '../rails/keys/signer.ts'
import type { Policy } from './policy.ts'

/** What bounds an approval of one payment. */
export type ApprovalBounds = {
  /** The most that the transfer which carries it may cost, of the chain's coin in smallest units. */
  maxFee: bigint
  /** The policy that the approver has read, by its version. */
  policy: string
  /** Until when the payment must be signed. */
  expires: Date
}

/** An approval as the signer remembers it. Those of earlier versions have no bounds. */
export type Approval = { approver: string; bounds: ApprovalBounds | undefined }

/** How long an approval may be valid: one that is older was given in another situation. */
export const longestApprovalMs = 30 * 86_400_000

const title = 'cambio payment approval'

/** What an approval is about: exactly one payment. Amounts are in smallest units. */
export const approvedPayment = ({ payout, asset, amount, destination }: Payment): string =>
  [payout, asset, String(amount), destination].join('\n')

/** What approvers sign. Refuses a payment whose fields would be read as others: each has a line. */
export function approvalContent(payment: Payment, { maxFee, policy, expires }: ApprovalBounds): string {
  const lines = [`${title} 2`, approvedPayment(payment), String(maxFee), policy, expires.toISOString()].join('\n')
  if (lines.split('\n').length !== 8 || /[^\n -~]/.test(lines)) {
    throw new SignerRefusal('malformed', 'A payment has a character that is not allowed.')
  }
  return lines
}

/** Reads what an approver has signed, as the journal has it. */
export function readApproval(content: string): { payment: string; bounds: ApprovalBounds | undefined } {
  const [first, ...lines] = content.split('\n')
  const [maxFee = '', policy = '', expires = ''] = lines.splice(4)
  const bounds = first === `${title} 1` ? undefined : { maxFee: BigInt(maxFee), policy, expires: new Date(expires) }
  return { payment: lines.join('\n'), bounds }
}

/** What a payment needs, and what is known of it. */
type PaymentInQuestion = { payout: string; needed: number; fee: bigint; now: Date }

const isCheap =
  (fee: bigint) =>
  ({ bounds }: Approval): boolean =>
    bounds === undefined || fee <= bounds.maxFee
const countOf = (given: readonly Approval[]): number => new Set(given.map(({ approver }) => approver)).size
// Without the payout's name where others share the transfer: each of them alone costs less.
const tooDear = (): SignerRefusal => new SignerRefusal('fee', 'The fee exceeds what the approvals of the payout allow.')

/** Refuses a payment that too few have approved: within the bounds of their approvals, and under the policy in force. */
export function refuseUnapproved(
  { approvers, version }: Policy,
  given: readonly Approval[],
  { payout, needed, fee, now }: PaymentInQuestion,
): SignerRefusal | undefined {
  const isOfPolicy = ({ bounds }: Approval) => bounds?.policy === version
  const isInTime = ({ bounds }: Approval) => bounds !== undefined && bounds.expires > now
  const isGiven = (...rules: ((one: Approval) => boolean)[]): boolean =>
    countOf(given.filter((one) => approvers.has(one.approver) && rules.every((rule) => rule(one)))) >= needed
  if (isGiven(isOfPolicy, isInTime, isCheap(fee))) return undefined
  if (isGiven(isOfPolicy, isInTime)) return tooDear()
  if (isGiven(isOfPolicy, isCheap(fee))) {
    return new SignerRefusal('approval_expired', `The approvals have expired. The payout needs ${needed} again.`, [
      payout,
    ])
  }
  const old = isGiven() ? ' under the policy in force' : ''
  return new SignerRefusal('approval_missing', `The payout needs ${needed} approvals${old}.`, [payout])
}

/**
 * Refuses a transfer that costs too much of a payment that was signed before and leaves again with another fee. It was approved then, if it
 * had to be: who may approve now, until when, and what was paid since, counts no more. As many as are needed now, or else as there are
 * approvals, at least one of them, allow the fee.
 */
export const refuseDearer = (
  given: readonly Approval[],
  { needed, fee }: Pick<PaymentInQuestion, 'needed' | 'fee'>,
): SignerRefusal | undefined => {
  const asked = Math.min(countOf(given), Math.max(needed, 1))
  return countOf(given.filter(isCheap(fee))) >= asked ? undefined : tooDear()
}
