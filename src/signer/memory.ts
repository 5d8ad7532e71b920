import { accountOf, type Payment, type TransferContent } from '../rails/keys/signer.ts'
import { type Approval, approvedPayment, readApproval } from './approval.ts'
import type { JournalLine } from './journal.ts'

/** A payment that was signed, and what each transfer that carries it excludes. */
type SignedPayment = { payment: Payment; transfers: (readonly string[])[] }

/** What the signer knows of the past, computed from its journal alone. */
export type Memory = {
  /** What a request got, if it was signed before: the bytes, where the journal has them. */
  signed(digest: string): { bytes: unknown } | undefined
  payment(payout: string): SignedPayment | undefined
  claim(subject: string): string | undefined
  /** What was signed for the account of a destination since a time, without one payout. */
  paidTo(payment: Payment, since: Date): bigint
  /** What was signed since a time of payments that count. */
  paidSince(since: Date, counts: (payment: Payment) => boolean): bigint
  /** What has left of an asset since a time, fees included. A payment counts once; each fee counts. */
  spentSince(asset: string, since: Date): bigint
  /** What approvers have said of exactly this payment. */
  approvalsOf(payment: Payment): readonly Approval[]
  /** The halt that holds: the hash of its line, why, and who wants to resume. */
  halt(): { id: string; reason: string; resumedBy: ReadonlySet<string> } | undefined
  learn(line: JournalLine): void
}

/** The number of different approvers that end a halt. */
export const resumeCount = 2

export function openMemory(lines: readonly JournalLine[]): Memory {
  const digests = new Map<string, { bytes: unknown }>()
  const payments = new Map<string, SignedPayment>()
  const claims = new Map<string, string>()
  const approvals = new Map<string, Approval[]>()
  let sent: (Payment & { at: number })[] = []
  let spent: { at: number; asset: string; amount: bigint }[] = []
  let halt: { id: string; reason: string; resumedBy: Set<string> } | undefined

  function learnSignature({ payments: paid, fee, exclusive, claims: said }: TransferContent, at: number): void {
    for (const payment of paid) {
      const known = payments.get(payment.payout)
      if (known) known.transfers.push(exclusive)
      else {
        payments.set(payment.payout, { payment, transfers: [exclusive] })
        sent.push({ at, ...payment })
        spent.push({ at, asset: payment.asset, amount: payment.amount })
      }
    }
    for (const [subject, claim] of Object.entries(said)) claims.set(subject, claim)
    spent.push({ at, ...fee })
    // The longest window is 99 days, and that of caps a day.
    if (sent.length > 200_000) sent = sent.filter((one) => one.at > at - 100 * 86_400_000)
    if (spent.length > 10_000) spent = spent.filter((one) => one.at > at - 2 * 86_400_000)
  }

  const memory: Memory = {
    signed: (digest) => digests.get(digest),
    payment: (payout) => payments.get(payout),
    claim: (subject) => claims.get(subject),
    paidSince: (since, counts) =>
      sent.reduce((sum, one) => (one.at > since.getTime() && counts(one) ? sum + one.amount : sum), 0n),
    paidTo: (payment, since) =>
      sent.reduce((sum, one) => {
        const { payout, asset } = payment
        const isOther = one.payout !== payout && one.asset === asset && accountOf(one) === accountOf(payment)
        return isOther && one.at > since.getTime() ? sum + one.amount : sum
      }, 0n),
    spentSince: (asset, since) =>
      spent.reduce((sum, one) => (one.asset === asset && one.at > since.getTime() ? sum + one.amount : sum), 0n),
    approvalsOf: (payment) => approvals.get(approvedPayment(payment)) ?? [],
    halt: () => halt,
    learn: ({ at, entry, hash }) => {
      if (entry.kind === 'signature') {
        digests.set(entry.digest, { bytes: entry.signed })
        const paid = entry.payments.map((one) => ({ ...one, amount: BigInt(one.amount) }))
        const fee = { asset: entry.fee.asset, amount: BigInt(entry.fee.amount) }
        learnSignature({ ...entry, payments: paid, fee }, new Date(at).getTime())
      } else if (entry.kind === 'approval') {
        const { payment, bounds } = readApproval(entry.content)
        approvals.set(payment, [...(approvals.get(payment) ?? []), { approver: entry.approver, bounds }])
      } else if (entry.kind === 'halt') {
        halt = { id: hash, reason: entry.reason, resumedBy: new Set() }
      } else if (halt?.id === entry.halt) {
        halt.resumedBy.add(entry.approver)
        if (halt.resumedBy.size >= resumeCount) halt = undefined
      }
    },
  }
  for (const line of lines) memory.learn(line)
  return memory
}
