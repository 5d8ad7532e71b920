import type { Atomic } from '../../../platform/db/sql.ts'
import { accountIdOf, type Bank, type BankReports } from '../bank.ts'
import type { CheckedStatement } from '../reading/interpret.ts'
import { apart, dayAfter, sightingOf } from './agree.ts'
import { bookNews, entryAmountOf, type ReceivedStatement } from './book-news.ts'
import { placeStatement } from './chain.ts'
import * as chain from './chain.sql.ts'
import {
  beforeOpening,
  decidedAlready,
  differenceOf,
  goneFrom,
  inOpening,
  openingDiffers,
  type StatementDifference,
} from './differ.ts'
import { endedDoubts } from './doubts.ts'
import { paymentOf } from './events.ts'
import { explainerFor } from './explainer-for.ts'
import { type Decision, waitingFor, waitingForDays } from './gap.ts'
import { decidedGaps } from './gap.sql.ts'
import { comparedBooking, identify, type IdentifiedBooking } from './identify.ts'
import * as links from './links.sql.ts'
import * as queries from './queries.ts'
import { notifiedBooking, withdrawBooking } from './withdraw.ts'

/**
 * Books what a checked statement reports and is not known yet, and reports it: deposits, what was reversed of them, payouts that
 * were carried out or came back, charges. A statement that does not continue the last one, or came before with other content, books
 * nothing: gives what differs. Runs in the block that stores the file.
 */
export async function bookStatement(
  bank: Bank,
  db: Atomic,
  received: ReceivedStatement,
  reports: BankReports,
): Promise<StatementDifference | undefined> {
  const { account } = received.statement
  const scope = { rail: bank.name, account: accountIdOf(account), asset: account.asset.id }
  const { statement, file, isAccepted = false } = received
  const { balance } = statement
  const stated = balance && { ...statement, balance }
  const placement = stated && placeStatement(stated, await chain.nearStatements(db, scope, stated))
  if (!stated || !placement) {
    await bookBookings(bank, db, { received, scope, statementId: null }, reports)
    return undefined
  }
  if (placement.state === 'known') return bookAgain(bank, db, { received, scope, seen: placement.statement }, reports)

  if (placement.state === 'differs' && !isAccepted) return openingDiffers(statement.account.asset, stated, placement)
  const { previousId, nextId } = placement
  const isInOpening = placement.isInOpening || (await leadsToOpening(db, scope, placement, reports))
  if (isInOpening && !placement.isInOpening && !isAccepted) return beforeOpening(stated)
  if (isInOpening) {
    const place = { fileId: file.id, previousId, nextId, isInOpening }
    const statementId = await chain.insertStatement(db, scope, stated, place)
    await bookInOpening(bank, db, { received, scope, statementId }, reports)
    return inOpening
  }
  const [decided] = nextId === null ? [] : await decidedGaps(db, scope, { before: [nextId] })
  if (decided && !isAccepted) return decidedAlready(stated)
  const place = { fileId: file.id, previousId, nextId, isInOpening, isDecided: decided !== undefined }
  const statementId = await chain.insertStatement(db, scope, stated, place)
  await bookBookings(bank, db, { received, scope, statementId, decided }, reports)
  return undefined
}

/** What a statement that is in the opening balance has of known bookings and of payments of ours. No other money of it is booked. */
async function bookInOpening(
  bank: Bank,
  db: Atomic,
  { received, scope, statementId }: Scoped & { statementId: bigint },
  reports: BankReports,
): Promise<void> {
  const { statement } = received
  const known = await knownBookings(bank, db, scope, { statement, statementId: null })
  const identified = identify(bank, statement, { known, statementId })
  const fresh = identified.filter(isNews)
  const { of } = await explainerFor(bank, db, scope, fresh)
  const news = fresh.filter(({ stated, endToEnd, doubt }) =>
    ['payout', 'payout_returned'].includes(of(stated, { id: 0n, endToEnd, isDoubtful: doubt !== undefined }).kind),
  )
  const explain = await explainerFor(bank, db, scope, news)
  const uncharged = { ...reports, charge: () => Promise.resolve() }
  await bookNews(bank, db, { ...received, news, statementId }, { explain, reports: uncharged })
  links.linkBookings(db, linksOf(identified, { statementId, kind: statement.kind }))
}

/** Whether a statement comes before the first one of its account, whose opening balance is booked: its money is in that. */
const leadsToOpening = async (
  db: Atomic,
  { rail, account, asset }: queries.StatementScope,
  { previousId, nextId }: { previousId: bigint | null; nextId: bigint | null },
  reports: BankReports,
): Promise<boolean> => previousId === null && nextId !== null && reports.isOpened(db, { rail, account, asset })

type Scoped = { received: ReceivedStatement; scope: queries.StatementScope }

/** A statement that came before: nothing of it is booked, unless it is another one now and a person has accepted that. */
async function bookAgain(
  bank: Bank,
  db: Atomic,
  { received, scope, seen }: Scoped & { seen: chain.ChainedStatement },
  reports: BankReports,
): Promise<StatementDifference | undefined> {
  const { statement, isAccepted = false, corrects = false } = received
  const { balance } = statement
  if (!balance) return undefined
  if (seen.is_in_opening) return inOpening
  const known = await knownBookings(bank, db, scope, { statement, statementId: seen.id })
  const identified = identify(bank, statement, { known, statementId: seen.id, overlaps: seen.overlaps })
  const difference = differenceOf({ ...statement, balance }, seen, { identified, known })
  // A file that was accepted before, and is only read again, does not undo one that was accepted since.
  if (difference && !corrects) return difference
  if (statement.isLastPage && !seen.is_last) chain.markLast(db, seen.id)
  if (!isAccepted) return undefined
  if (difference) {
    chain.correctStatement(db, seen.id, { ...statement, balance }, received.file.id)
    const [decided] = await decidedGaps(db, scope, { before: [seen.id, seen.next_id] })
    await bookBookings(bank, db, { received, scope, statementId: seen.id, seen, decided }, reports)
  }
  return undefined
}

/** What is known and may be in a statement: what lies in a gap as known, too, but not the amounts of what nobody knows. */
async function knownBookings(
  bank: Bank,
  db: Atomic,
  scope: queries.StatementScope,
  { statement, statementId }: { statement: CheckedStatement; statementId: bigint | null },
): Promise<queries.StoredBooking[]> {
  const similar = await queries.similarBookings(db, scope, likenessOf(bank, statement, statementId))
  const known = similar
    .filter(({ gap }) => gap !== 'lump')
    .map((one) => (one.gap === null ? one : { ...one, statement_id: null }))
  // What was withdrawn is not in doubt once a statement holds it: it is booked again. A notification of it is an old one.
  return statement.kind === 'camt.053' ? known.filter(({ state }) => state !== 'withdrawn') : known
}

/** Books what is not known yet. `seen`: the statement, as it came before. `decided`: persons have decided about what lies next to it. */
async function bookBookings(
  bank: Bank,
  db: Atomic,
  {
    received,
    scope,
    statementId,
    seen,
    decided,
  }: Scoped & { statementId: bigint | null; seen?: chain.ChainedStatement; decided?: Decision },
  reports: BankReports,
): Promise<void> {
  const { statement, isAccepted = false } = received
  const known = await knownBookings(bank, db, scope, { statement, statementId: seen?.id ?? null })
  const identified = identify(bank, statement, { known, statementId, overlaps: isAccepted })
  // What a corrected statement no longer has is another one's that has it, too; else it waits for one, or for two operators who withdraw it.
  if (seen) await links.unlinkBookings(db, goneFrom(seen, { identified, known }))
  // What came in first: what is reversed of it may be in the same statement, above it.
  const all = identified.filter(isNews).toSorted((one, other) => sideOf(one) - sideOf(other))
  const about = { scope, at: received.at, news: all }
  const news = statementId === null ? await waitingForDays(db, about, reports) : waitingFor(all, decided)
  if (news.length > 0) {
    const explain = await explainerFor(bank, db, scope, news)
    await bookNews(bank, db, { ...received, news, statementId }, { explain, reports })
  }
  if (statementId !== null && isAccepted) chain.noteOverlaps(db, statementId, sharedBy(identified, statementId))
  links.linkBookings(db, linksOf(identified, { statementId, kind: statement.kind }))
  if (statementId !== null && !decided)
    await explainAgain(bank, db, { received, scope, statementId, identified }, reports)
}

/**
 * What waited for a person because it might have been booked already is in a statement now: a payout that came back is owed again, and what
 * reverses a deposit reverses it, unless a person has decided about it. What belongs to no payout that is still known waits on.
 */
async function explainAgain(
  bank: Bank,
  db: Atomic,
  { received, scope, statementId, identified }: Scoped & { statementId: bigint; identified: IdentifiedBooking[] },
  reports: BankReports,
): Promise<void> {
  const waited = identified.filter(
    ({ stated, known: [one, ...more] }) =>
      one?.doubt === 'double' && one.statement_id === null && more.length === 0 && one.amount === stated.amount,
  )
  if (waited.length === 0) return
  const ended = await endedDoubts(
    db,
    waited.flatMap(({ known }) => known.map(({ id }) => id)),
  )
  const look = await explainerFor(bank, db, scope, waited)
  const news: IdentifiedBooking[] = []
  for (const one of waited) {
    const known = ended.find(({ id }) => id === one.known[0]?.id)
    const booking = known && (await notifiedBooking(db, bank.name, known.id))
    if (!booking || (await reports.isDecided(db, { rail: bank.name, payment: paymentOf(booking.id) }))) continue
    const { kind } = look.of(one.stated, { id: booking.id, endToEnd: one.endToEnd, isDoubtful: false })
    if (kind !== 'payout_returned' && kind !== 'deposit_reversed') continue
    const key = one.stated.endToEndId
    if (kind === 'payout_returned' && !(await reports.mayComeBack(db, { rail: bank.name, key }))) continue
    if (booking.kind === 'deposit') await reports.report(db, withdrawBooking(db, bank.name, booking).events)
    news.push(one)
  }
  if (news.length === 0) return
  const explain = await explainerFor(bank, db, scope, news)
  await bookNews(bank, db, { ...received, news, statementId }, { explain, reports })
}

/** What other statements have of what a statement has. */
const sharedBy = (identified: readonly IdentifiedBooking[], statementId: bigint) =>
  [...new Set(identified.flatMap((one) => one.known))]
    .filter(({ statement_id: of }) => of !== null && of !== statementId)
    .map(({ id, statement_id, direction, amount }) => ({
      id,
      statement_id,
      moved: direction === 'in' ? amount : -amount,
    }))

/** What a statement is compared by. Days as far apart as messages date one booking. */
function likenessOf(bank: Bank, { bookings, balance }: CheckedStatement, statementId: bigint | null): queries.Likeness {
  const days = [...bookings.flatMap(({ bookedOn, valueOn }) => [bookedOn, valueOn]), balance?.on ?? ''].filter(
    (day) => day !== '',
  )
  const least = days.reduce((one, other) => (one < other ? one : other), days[0] ?? '')
  const last = days.reduce((one, other) => (one > other ? one : other), '')
  return {
    statementId,
    amounts: [...new Set(bookings.flatMap(({ amount, net }) => [amount, net]))],
    references: [...new Set(bookings.flatMap((one) => [one.servicerReference, one.entryReference]))].filter(
      (text) => text !== '',
    ),
    endToEnds: [...new Set(bookings.flatMap((one) => comparedBooking(bank, one).endToEnd ?? []))],
    from: least === '' ? '' : dayAfter(least, -apart.pending),
    until: last === '' ? '9' : dayAfter(last, apart.pending),
  }
}

const sideOf = ({ stated }: IdentifiedBooking): number => (stated.direction === 'in' ? 0 : 1)

/** What no message has reported before, or only as pending. */
const isNews = ({ stated, known }: IdentifiedBooking): boolean =>
  known.length === 0 || (!stated.isPending && known.some(({ state }) => state === 'pending'))

const linksOf = (
  identified: IdentifiedBooking[],
  { statementId, kind }: { statementId: bigint | null; kind: CheckedStatement['kind'] },
) =>
  identified
    .filter(({ stated }) => !stated.isPending)
    .flatMap((one) =>
      one.known.map(({ id, amount }) => {
        const isWhole = one.known.length === 1 && amount === one.stated.amount
        return {
          id,
          servicerReference: isWhole ? one.stated.servicerReference || null : null,
          endToEnd: isWhole ? one.endToEnd : null,
          statedReference: isWhole ? one.stated.reference || null : null,
          // What the bank kept of it is new.
          entryAmount: isWhole ? entryAmountOf(one.stated) : null,
          statementId,
          sighting: sightingOf(kind, one),
        }
      }),
    )
