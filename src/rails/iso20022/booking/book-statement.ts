import type { Atomic } from '../../../platform/db/sql.ts'
import { seal } from '../../../platform/privacy/seal.ts'
import type { RailEvent } from '../../rail.ts'
import type { Bank, BankReports } from '../bank.ts'
import { lockPayments, updatePayments } from '../paying/queries.ts'
import type { CheckedStatement } from '../reading/interpret.ts'
import { eventOf, paymentOf } from './events.ts'
import { type Explanation, type Explainer, newExplainer, type Reversible } from './explain.ts'
import { endToEndOf, contentOf, identify, type IdentifiedBooking } from './identify.ts'
import * as queries from './queries.ts'
import type { BookingRow } from './queries.ts'

/** A statement, and the file that it came in. */
export type ReceivedStatement = { statement: CheckedStatement; fileId: bigint; at: Date }

/**
 * Books what a checked statement reports and is not known yet, and reports it: deposits, what was taken back of them, payouts that
 * were carried out or came back, charges. Runs in the block that stores the file.
 */
export async function bookStatement(
  bank: Bank,
  db: Atomic,
  received: ReceivedStatement,
  reports: BankReports,
): Promise<void> {
  const { statement, fileId } = received
  const scope = { rail: bank.name, account: statement.account.iban, asset: statement.account.asset.id }
  const { balance } = statement
  const [kept] = balance ? await queries.keepStatement(db, scope, { ...statement, balance }, fileId) : []
  const statementId = kept?.id ?? null
  const known = await queries.similarBookings(db, scope, {
    contents: statement.bookings.map((one) => contentOf(bank, statement, one)),
    references: statement.bookings.flatMap((one) =>
      [one.servicerReference, one.entryReference].filter((text) => text !== ''),
    ),
  })
  const identified = identify(bank, statement, { known, statementId })
  queries.linkBookings(db, linksOf(identified, statementId))

  // What came in first: what is taken back of it may be in the same statement, above it.
  const news = identified.filter(isNews).toSorted((one, other) => sideOf(one) - sideOf(other))
  if (news.length === 0) return
  const explain = await explainerFor(bank, db, scope, news)
  await bookNews(bank, db, { ...received, news, statementId }, { explain, reports })
}

const sideOf = ({ stated }: IdentifiedBooking): number => (stated.direction === 'in' ? 0 : 1)

/** What no message has reported before, or only as pending. */
const isNews = ({ stated, known }: IdentifiedBooking): boolean =>
  known.length === 0 || (!stated.isPending && known.some(({ state }) => state === 'pending'))

const linksOf = (identified: IdentifiedBooking[], statementId: bigint | null) =>
  identified
    .filter(({ stated }) => !stated.isPending)
    .flatMap(({ stated, known }) =>
      known.map(({ id }) => ({
        id,
        servicerReference:
          known.length === 1 && !stated.isLump && stated.servicerReference !== '' ? stated.servicerReference : null,
        statementId,
      })),
    )

type ExplainerWithDeposits = { of: Explainer; deposits: Reversible[] }

async function explainerFor(
  bank: Bank,
  db: Atomic,
  scope: queries.StatementScope,
  news: IdentifiedBooking[],
): Promise<ExplainerWithDeposits> {
  const stated = news.map((one) => one.stated)
  const payments = await lockPayments(db, bank.name, {
    keys: stated.map(({ endToEndId }) => endToEndId).filter((key) => key !== ''),
    messages: stated.map(({ messageId }) => messageId).filter((id) => id !== ''),
    parts: stated.map(({ paymentInformationId }) => paymentInformationId).filter((id) => id !== ''),
  })
  const back = stated.filter(({ direction, isCharge }) => direction === 'out' && !isCharge)
  const deposits: Reversible[] =
    back.length === 0
      ? []
      : await queries.reversibleDeposits(db, scope, {
          references: back.map(({ reference }) => reference),
          endToEnds: back.flatMap((one) => endToEndOf(bank, one) ?? []),
        })
  return { of: newExplainer(payments, deposits), deposits }
}

type News = ReceivedStatement & { news: IdentifiedBooking[]; statementId: bigint | null }

async function bookNews(
  bank: Bank,
  db: Atomic,
  { statement, fileId, at, news, statementId }: News,
  { explain, reports }: { explain: ExplainerWithDeposits; reports: BankReports },
): Promise<void> {
  const fresh = news.filter(({ known }) => known.length === 0)
  const ids = await queries.newIds(db, fresh.length)
  const rows: BookingRow[] = []
  const promoted: BookingRow[] = []
  const explanations: { row: BookingRow; explanation: Explanation }[] = []
  for (const one of news) {
    const [pending] = one.known
    const id = pending?.id ?? ids.shift() ?? 0n
    // What is pending is only announced: nothing is explained by it, and nothing used up.
    const explanation: Explanation = one.stated.isPending
      ? {
          kind: one.stated.direction === 'in' ? 'deposit' : 'unexplained',
          payments: [],
          deposit: undefined,
          charge: 0n,
        }
      : explain.of(one.stated, { id, endToEnd: one.endToEnd })
    const row = rowOf(bank, one, explanation, { id, statement, fileId, at, statementId })
    if (pending) promoted.push(row)
    else rows.push(row)
    if (row.kind === 'deposit' && row.state === 'booked')
      explain.deposits.unshift({
        id,
        reference: row.reference,
        amount: row.amount,
        remainder: row.amount,
        end_to_end: row.endToEnd,
      })
    explanations.push({ row, explanation })
  }
  const left = new Map(explain.deposits.map(({ id, remainder }) => [id, remainder]))
  queries.insertBookings(db, rows)
  queries.bookPending(db, promoted)
  queries.setRemainders(
    db,
    [...left].map(([id, remainder]) => ({ id, remainder })),
  )
  finishPayments(bank, db, explanations, at)

  const events = explanations.flatMap(({ row, explanation }) => eventsOf(row, explanation))
  await reports.report(
    db,
    events.map((event) => ({ ...event, rail: bank.name })),
  )
  const costs = explanations.filter(({ row, explanation }) => row.state === 'booked' && explanation.charge > 0n)
  if (costs.length > 0)
    await reports.charge(
      db,
      costs.map(({ row, explanation }) => ({ place: bank.name, asset: row.asset, amount: explanation.charge })),
    )
}

type RowContext = { id: bigint; statement: CheckedStatement; fileId: bigint; at: Date; statementId: bigint | null }

function rowOf(
  bank: Bank,
  { stated, content, endToEnd, known }: IdentifiedBooking,
  { kind, payments, deposit }: Explanation,
  { id, statement, fileId, at, statementId }: RowContext,
): BookingRow {
  const isDeposit = kind === 'deposit'
  return {
    id,
    rail: bank.name,
    account: statement.account.iban,
    asset: statement.account.asset.id,
    direction: stated.direction,
    amount: stated.amount,
    state: stated.isPending ? 'pending' : 'booked',
    wasPending: stated.isPending && isDeposit && stated.reference !== '',
    kind,
    reference: deposit?.reference ?? (isDeposit ? stated.reference || (known[0]?.reference ?? '') : ''),
    servicerReference: stated.servicerReference || null,
    entryReference: stated.entryReference || null,
    content,
    endToEnd,
    paymentKey: payments.length === 1 ? (payments[0]?.key ?? null) : null,
    reversesId: deposit?.id ?? null,
    remainder: isDeposit ? stated.amount : 0n,
    bookedOn: stated.bookedOn,
    payer:
      isDeposit && stated.payer.account !== ''
        ? seal(bank.keys.sealing, JSON.stringify(stated.payer), payerPlace(id))
        : null,
    statementId: stated.isPending ? null : statementId,
    fileId,
    reportedAt: at,
  }
}

/** Where a sealed payer belongs. */
export const payerPlace = (id: bigint): string => `iso20022_bookings:${id}`

/** A debit of the account is as clear an answer as a status report: the payment was carried out. */
function finishPayments(
  bank: Bank,
  db: Atomic,
  explanations: { row: BookingRow; explanation: Explanation }[],
  at: Date,
): void {
  const carriedOut = explanations.flatMap(({ row, explanation }) =>
    row.kind === 'payout' && row.state === 'booked' ? explanation.payments : [],
  )
  const done = carriedOut.map((payment) => ({ ...payment, state: 'done' as const }))
  if (done.length > 0) updatePayments(db, bank.name, done, at)
}

function eventsOf(row: BookingRow, { payments, deposit }: Explanation): RailEvent[] {
  const { id, kind, asset, amount, reference, state } = row
  if (state === 'pending') return row.wasPending ? [eventOf({ id, reference, asset, amount }, 'seen')] : []
  switch (kind) {
    case 'deposit':
      return [eventOf({ id, reference, asset, amount }, 'final')]
    case 'deposit_reversed':
      return deposit ? [eventOf({ id: deposit.id, reference: deposit.reference, asset, amount }, 'reversed', id)] : []
    case 'payout_returned':
      return payments.map(({ key }) => ({
        key: `${paymentOf(id)}:returned`,
        kind: 'payout_returned',
        reference: key,
        payment: paymentOf(id),
        asset,
        amount,
        body: { payment: paymentOf(id), status: 'RETURNED' },
      }))
    case 'payout':
    case 'charge':
    case 'unexplained':
      // A payout's own job looks for its evidence; nobody is credited for the others.
      return []
  }
}
