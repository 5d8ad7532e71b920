import type { Atomic } from '../../../platform/db/sql.ts'
import type { RailEvent } from '../../rail.ts'
import { accountIdOf, type Bank, type BankReports } from '../bank.ts'
import { updatePayments } from '../paying/queries.ts'
import type { CheckedStatement, StatedBooking } from '../reading/interpret.ts'
import { sightingOf } from './agree.ts'
import { eventOf, paymentOf } from './events.ts'
import type { Explainer, Explanation, Reversible } from './explain.ts'
import type { IdentifiedBooking } from './identify.ts'
import { sealParty } from './party.ts'
import * as queries from './queries.ts'
import type { BookingRow } from './queries.ts'

/** The file that a statement came in. */
export type StatementFile = { id: bigint; name: string }

/** A statement as it came. `isAccepted`: a person has accepted it as it is. */
export type ReceivedStatement = {
  statement: CheckedStatement
  file: StatementFile
  at: Date
  isAccepted?: boolean
  /** They have done so now: it replaces what came before of the same statement. */
  corrects?: boolean
}

/** What explains bookings, and the deposits that it uses up. */
export type ExplainerWithDeposits = { of: Explainer; deposits: Reversible[] }

/** What a booking's whole entry moved, where the bank kept a charge of it. */
export const entryAmountOf = ({ amount, net }: StatedBooking): bigint | null => (net === amount ? null : net)

type News = Pick<ReceivedStatement, 'file' | 'at'> & {
  statement: Pick<CheckedStatement, 'account' | 'kind'>
  news: IdentifiedBooking[]
  statementId: bigint | null
  gap?: queries.Gap
}

/** Stores what is new, and reports it: deposits, payouts that were carried out or came back, charges. */
export async function bookNews(
  bank: Bank,
  db: Atomic,
  { news, ...received }: News,
  { explain, reports }: { explain: ExplainerWithDeposits; reports: Pick<BankReports, 'report' | 'charge'> },
): Promise<void> {
  const fresh = news.filter(({ known }) => known.length === 0)
  const ids = await queries.newIds(db, fresh.length)
  const rows: BookingRow[] = []
  const promoted: BookingRow[] = []
  const explanations: { row: BookingRow; explanation: Explanation }[] = []
  const idOf = new Map<StatedBooking, bigint>()
  for (const one of news) {
    const [pending] = one.known
    const id = pending?.id ?? ids.shift() ?? 0n
    idOf.set(one.stated, id)
    const chargeOf = one.chargeOf ?? (one.stated.keptOf && idOf.get(one.stated.keptOf)) ?? null
    // What is pending is only announced: nothing is explained by it, and nothing used up.
    const { isPending, direction } = one.stated
    const explanation: Explanation = isPending
      ? { kind: direction === 'in' ? 'deposit' : 'unexplained', payments: [], deposit: undefined, charge: 0n }
      : explain.of(one.stated, { id, endToEnd: one.endToEnd, isDoubtful: one.doubt !== undefined })
    const row = rowOf(bank, one, explanation, { ...received, id, chargeOf })
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
  finishPayments(bank, db, explanations, received.at)

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

type RowContext = Omit<News, 'news'> & Pick<BookingRow, 'id' | 'chargeOf'>

function rowOf(
  bank: Bank,
  one: IdentifiedBooking,
  { kind, payments, deposit }: Explanation,
  { id, chargeOf, statement, file, at, statementId, gap }: RowContext,
): BookingRow {
  const { stated, endToEnd, payer, name, known, doubt } = one
  const isDeposit = kind === 'deposit'
  return {
    id,
    rail: bank.name,
    account: accountIdOf(statement.account),
    asset: statement.account.asset.id,
    direction: stated.direction,
    amount: stated.amount,
    state: stated.isPending ? 'pending' : 'booked',
    wasPending: stated.isPending && isDeposit && stated.reference !== '',
    kind,
    // What may be a known booking waits in suspense until a person says what it is.
    reference: deposit?.reference ?? (isDeposit && !doubt ? stated.reference || (known[0]?.reference ?? '') : ''),
    servicerReference: stated.servicerReference || null,
    entryReference: stated.entryReference || null,
    entryAmount: entryAmountOf(stated),
    chargeOf,
    endToEnd,
    payerHash: payer,
    nameHash: name,
    statedReference: stated.reference,
    hasText: stated.hasRemittance,
    paymentKey: payments.length === 1 ? (payments[0]?.key ?? null) : null,
    reversesId: deposit?.id ?? null,
    remainder: isDeposit ? stated.amount : 0n,
    bookedOn: stated.bookedOn,
    valueOn: stated.valueOn,
    payer: isDeposit || kind === 'unexplained' ? sealParty(bank, id, stated) : null,
    doubt: kind === 'payout' ? null : (doubt?.why ?? null),
    doubtsId: kind === 'payout' ? null : (doubt?.of?.id ?? null),
    sightings: stated.isPending ? '' : sightingOf(statement.kind, one),
    statementId: stated.isPending ? null : statementId,
    gap: gap ?? null,
    fileId: file.id,
    reportedAt: at,
  }
}

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
      // A payout's own job looks for its evidence; the others are credited to no order.
      return []
  }
}
