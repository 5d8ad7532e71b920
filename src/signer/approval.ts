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

/** What approvers sign. */
export const approvalContent = (payment: Payment, { maxFee, policy, expires }: ApprovalBounds): string =>
  [`${title} 2`, approvedPayment(payment), String(maxFee), policy, expires.toISOString()].join('\n')

/** Reads what an approver has signed, as the journal has it. */
export function readApproval(content: string): { payment: string; bounds: ApprovalBounds | undefined } {
  const [first, ...lines] = content.split('\n')
  const [maxFee = '', policy = '', expires = ''] = lines.splice(4)
  const bounds = first === `${title} 1` ? undefined : { maxFee: BigInt(maxFee), policy, expires: new Date(expires) }
  return { payment: lines.join('\n'), bounds }
}

/** What a payment needs, and what is known of it. */
type PaymentInQuestion = { payout: string; needed: number; fee: bigint; now: Date; wasSigned: boolean }

/**
 * Refuses a payment that too few have approved: within the bounds of their approvals, and under the policy in force. One that was signed
 * before and leaves again with another fee was approved then; only what its transfer may cost is asked again.
 */
export function refuseUnapproved(
  { approvers, version }: Policy,
  given: readonly Approval[],
  { payout, needed, fee, now, wasSigned }: PaymentInQuestion,
): SignerRefusal | undefined {
  const isOfPolicy = ({ bounds }: Approval) => wasSigned || bounds?.policy === version
  const isInTime = ({ bounds }: Approval) => wasSigned || (bounds !== undefined && bounds.expires > now)
  const isCheap = ({ bounds }: Approval) => bounds === undefined || fee <= bounds.maxFee
  const isGiven = (...rules: ((one: Approval) => boolean)[]): boolean => {
    const counted = given.filter((one) => approvers.has(one.approver) && rules.every((rule) => rule(one)))
    return new Set(counted.map(({ approver }) => approver)).size >= needed
  }
  if (isGiven(isOfPolicy, isInTime, isCheap)) return undefined
  if (isGiven(isOfPolicy, isInTime)) {
    // Without its name where others share the transfer: each of them alone costs less.
    return new SignerRefusal('fee', 'The fee exceeds what the approvals of the payout allow.')
  }
  if (isGiven(isOfPolicy, isCheap)) {
    return new SignerRefusal('approval_expired', `The approvals have expired: the payout needs ${needed} again.`, [
      payout,
    ])
  }
  const old = isGiven() ? ' under the policy in force' : ''
  return new SignerRefusal('approval_missing', `The payout needs ${needed} approvals${old}.`, [payout])
}
