import type { Atomic } from '../../../platform/db/sql.ts'
import type { Bank, BankReports } from '../bank.ts'
import { sealNames } from '../paying/payee.ts'
import { keepPayees, lockPayments, type PayeeMatch, type PaymentState, updatePayments } from '../paying/queries.ts'
import { reasonText } from '../reading/status-reasons.ts'
import type { ReportedStatus, StatusReport } from '../reading/status-report.ts'
import type { KnownPayment } from './explain.ts'

/** What a status decides. Every other one is on its way: accepted, pending, or one that we do not know. */
const outcomes: ReadonlyMap<string, PaymentState> = new Map([
  ['ACSC', 'done'],
  ['ACCC', 'done'],
  ['RJCT', 'rejected'],
  ['CANC', 'rejected'],
])

/**
 * Where payees are confirmed: whether their banks have the name that we gave. The payment waits until a person at our bank
 * confirms or refuses it.
 */
const matches: ReadonlyMap<string, PayeeMatch> = new Map([
  ['RCVC', 'match'],
  ['RVMC', 'close'],
  ['RVNM', 'none'],
  ['RVNA', 'unknown'],
])

/**
 * Writes down what a status report says of our payments: of each by itself, else of its part of the file, else of the file. What
 * is done or rejected stays so: a bank that says otherwise later is an alarm, and the account's statement tells what is true.
 */
export async function bookReport(
  bank: Bank,
  db: Atomic,
  { report, at }: { report: StatusReport; at: Date },
  reports: BankReports,
): Promise<void> {
  const named = report.parts.flatMap(({ payments }) => payments)
  const payments = await lockPayments(db, bank.name, {
    keys: named.map(({ endToEndId }) => endToEndId).filter((key) => key !== ''),
    messages: report.messageId === '' ? [] : [report.messageId],
    parts: report.parts.map(({ paymentInformationId }) => paymentInformationId).filter((id) => id !== ''),
  })
  const updated = payments.flatMap((payment) => {
    const status = statusOf(report, payment)
    return status && payment.state !== 'queued' ? [{ payment, status, now: nextOf(payment, status) }] : []
  })
  for (const { payment, status } of updated)
    if (contradicts(payment, outcomeOf(status)))
      bank.log.warn(
        { rail: bank.name, payment: payment.key, code: status.code },
        `The bank contradicts what is known of a payment, which is ${payment.state}.`,
      )
  notePayees(
    bank,
    db,
    report,
    updated.map(({ payment }) => payment),
  )
  if (updated.length === 0) return bank.log.warn({ rail: bank.name }, 'A status report is about no payment of ours.')
  updatePayments(
    db,
    bank.name,
    updated.map(({ now }) => now),
    at,
  )

  const rejected = updated.filter(({ payment, now }) => payment.state === 'sent' && now.state === 'rejected')
  await reports.report(
    db,
    rejected.map(({ payment: { key, asset, amount }, now: { reason } }) => ({
      rail: bank.name,
      key: `${key}:rejected`,
      kind: 'payout_failed',
      reference: key,
      payment: key,
      asset,
      amount,
      body: { payment: key, status: 'RJCT', reason: reason ?? '' },
    })),
  )
  for (const { payment, now } of rejected)
    bank.log.warn(
      { rail: bank.name, payment: payment.key, code: now.code },
      `The bank refused a payment. ${now.reason}`,
    )
}

function notePayees(bank: Bank, db: Atomic, report: StatusReport, payments: readonly KnownPayment[]): void {
  const own = new Map(report.parts.flatMap((part) => part.payments).map((one) => [one.endToEndId, one]))
  const payees = payments.flatMap((payment) => {
    const match = matches.get(statusOf(report, payment)?.code ?? '')
    const names = own.get(payment.key)?.names ?? []
    return match ? [{ key: payment.key, match, names: sealNames(bank, payment.key, names) }] : []
  })
  if (payees.length > 0) keepPayees(db, bank.name, payees)
}

/** What a report says of one payment. A file that is accepted in part says so of each payment. */
function statusOf({ messageId, status, parts }: StatusReport, payment: KnownPayment): ReportedStatus | undefined {
  const own = parts.flatMap(({ payments }) => payments).find(({ endToEndId }) => endToEndId === payment.key)
  if (own && own.status.code !== '') return own.status
  const part = parts.find(
    ({ paymentInformationId }) => paymentInformationId !== '' && paymentInformationId === payment.part,
  )
  if (part && isOfAll(part.status)) return part.status
  if (own) return status.code === '' ? undefined : isOfAll(status) ? status : undefined
  return messageId !== '' && messageId === payment.message_id && isOfAll(status) ? status : undefined
}

const isOfAll = ({ code }: ReportedStatus): boolean => code !== '' && code !== 'PART'

const outcomeOf = ({ code }: ReportedStatus): PaymentState => outcomes.get(code) ?? 'sent'

/** Whether a bank refuses what is done, or has carried out what was refused or ended: its code is kept, and is a finding. */
const contradicts = ({ state }: Pick<KnownPayment, 'state'>, outcome: PaymentState): boolean =>
  (state === 'done' && outcome === 'rejected') || (state === 'rejected' && outcome === 'done')

function nextOf(
  { key, state, code, reason, debited_by: debitedBy }: KnownPayment,
  status: ReportedStatus,
): { key: string; state: PaymentState; code: string | null; reason: string | null; debited_by: bigint | null } {
  const before = { key, state, code, reason, debited_by: debitedBy }
  const outcome = outcomeOf(status)
  if (contradicts({ state }, outcome)) return { ...before, code: status.code }
  if (state === 'done' || state === 'rejected') return before
  const why = outcome === 'rejected' ? reasonText(status.reason) : null
  return { ...before, state: outcome, code: status.code.slice(0, 35), reason: why }
}
