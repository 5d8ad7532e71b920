import { isSameStamp, stampText } from '../../platform/privacy/stamp.ts'
import { SignerRefusal } from '../keys/signer.ts'

/** What stamps the payments of a chain: a key that is not in the database. */
type Stamping = { network: { code: string }; stampKey: Buffer }

/** The payout of a payment, and all that decides what it pays and to whom. */
export type StampedPayment = { payout: string; body: Readonly<Record<string, string>> }

/** A keyed hash of a payment, as the service writes it down once it may leave. The database alone is not enough to make one. */
export function stampOf({ network, stampKey }: Stamping, { payout, body }: StampedPayment): Buffer {
  const parts = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return stampText(stampKey, JSON.stringify([network.code, payout, parts]))
}

/** Refuses to sign payments that the service has not written down itself, as the signer refuses what its rules forbid. */
export function refuseForged(
  stamping: Stamping,
  payments: readonly (StampedPayment & { stamp: Buffer | null })[],
): void {
  const forged = payments.filter((payment) => !isSameStamp(payment.stamp, stampOf(stamping, payment)))
  if (forged.length === 0) return
  const payouts = forged.map(({ payout }) => payout)
  throw new SignerRefusal('forged', 'The service did not write this payment down itself.', payouts)
}
