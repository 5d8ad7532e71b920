import type { Atomic, Db } from '../../../platform/db/sql.ts'
import { formatAmount } from '../../../platform/money/amount.ts'
import type { ReportEvents } from '../../rail.ts'
import type { StatementGap } from '../../statement.ts'
import { accountIdOf, type Bank, type BankReports, type OwnAccount } from '../bank.ts'
import { bankOpening } from '../opening.ts'
import { lumpOf, nameOfStatement, type StatedBooking } from '../reading/interpret.ts'
import { farFuture, type MissingNumbers, missingNumbers } from '../troubles.ts'
import { apart, dayAfter } from './agree.ts'
import { bookNews } from './book-news.ts'
import { paymentOf } from './events.ts'
import { explainerFor } from './explainer-for.ts'
import * as queries from './gap.sql.ts'
import { comparedBooking, type IdentifiedBooking } from './identify.ts'
import type { StatementScope } from './queries.ts'
import { bookingOfFinding, notifiedBooking, withdrawBooking } from './withdraw.ts'

const keys = { opens: /^statement (.+) opens (\d+)$/, lost: /^statement (.+) (\d+)-(\d+)$/ }

/** What is in the gap that a finding is about, and what has to be ended before persons can book the rest; undefined where it is about none. */
export async function gapOf(db: Db, { rail, key, asset }: GapFinding): Promise<StatementGap | undefined> {
  const row = await rowOf(db, { rail, key, asset })
  if (!row) return undefined
  const scope = { rail, account: row.account, asset: row.asset }
  const notified = await queries.unstatedWithin(db, row)
  const payments = await queries.undebitedWithin(db, { ...scope, after: row.after_on, before: row.before_on })
  const done = payments.filter(({ state }) => state === 'done')
  const explained = notified.filter((one) => one.is_explained)
  const numbers = (await missingNumbers(db, farFuture, scope)).filter((one) => one.before === row.before_on)
  const difference = row.moved - row.lumps
  const unknown = difference - explained.reduce((sum, { moved }) => sum + moved, 0n)
  // What turns the difference round may be in a statement that comes yet: then the rest was never received or paid.
  const isTurned = difference <= 0n ? unknown > 0n : unknown < 0n
  const turning = isTurned ? explained.filter((one) => !one.has_later).map(({ id }) => paymentOf(id)) : []
  const debited = done.reduce((sum, { amount }) => sum + amount, 0n)
  // What is more than left, or left while money came, is debited elsewhere: else the rest would be a credit that nobody received.
  const inside = unknown + debited <= 0n ? done : []
  return {
    statement: row.statement_id,
    ...scope,
    rest: inside === done ? unknown + debited : unknown,
    isBooked: row.lump_id !== null,
    known: [...explained.map(({ id }) => paymentOf(id)), ...inside.map((one) => one.key)],
    waiting: notified.filter((one) => !one.is_explained).map(({ id }) => paymentOf(id)),
    early: [...turning, ...done.filter((one) => !one.has_later).map((one) => one.key)],
    outside: inside === done ? [] : done.map((one) => one.key),
    unanswered: payments.filter(({ state }) => state === 'sent').map((one) => one.key),
    numbers: numbers.map(({ first, last, before }) => ({ first, last, before })),
    file: row.file_id,
  }
}

/** Why one person cannot resolve a finding: it is about what lies between two statements, or about what was booked of that. */
export async function whyGapStays(
  db: Db,
  { rail, key }: Pick<GapFinding, 'rail' | 'key'>,
): Promise<string | undefined> {
  if (keys.opens.test(key) || keys.lost.test(key))
    return 'It ends when the statements come that lack, or once two operators have booked the difference (break book).'
  const id = bookingOfFinding(key)
  const booking = id === undefined ? undefined : await queries.bookingInGap(db, rail, id)
  if (!booking) return undefined
  return booking.gap === 'lump'
    ? 'A difference was booked that fits no more: two operators withdraw it (break withdraw).'
    : 'It is booked in a difference: it ends when a statement has it, or once two operators withdraw it (break withdraw).'
}

type GapFinding = { rail: string; key: string; asset: string }

async function rowOf(db: Db, { rail, key, asset }: GapFinding): Promise<queries.GapRow | undefined> {
  const id = bookingOfFinding(key)
  const booking = id === undefined ? undefined : await queries.bookingInGap(db, rail, id)
  const statementId = booking?.gap === 'lump' ? booking.statement_id : keys.opens.exec(key)?.[2]
  if (statementId !== undefined) return queries.gapBefore(db, rail, { statementId: BigInt(statementId) })
  const [, account = '', first = '', last = ''] = keys.lost.exec(key) ?? []
  const missing = (await missingNumbers(db, farFuture, { rail, account, asset })).find(
    (one) => `${one.first}-${one.last}` === `${first}-${last}`,
  )
  return missing && queries.gapBefore(db, rail, { account, asset, last: missing.last, on: missing.before })
}

/** Payments of ours without a debit that may be debited in statements whose numbers lack. */
export const paymentsWithin = async (db: Db, numbers: MissingNumbers): Promise<string[]> =>
  (await queries.undebitedWithin(db, numbers)).map(({ key }) => key)

/** Books what operators have decided about: what is known lies in the gap, and the rest is one amount without an owner. */
export async function bookGap(bank: Bank, db: Atomic, gap: StatementGap, report: ReportEvents): Promise<void> {
  const row = await queries.gapBefore(db, bank.name, { statementId: gap.statement })
  const account = accountIn(bank, gap)
  if (!row || !account) throw new Error(`There is no gap before the statement ${gap.statement}.`)
  const notified = (await queries.unstatedWithin(db, row)).filter(({ id }) => gap.known.includes(paymentOf(id)))
  queries.placeInGap(
    db,
    notified.map(({ id }) => id),
    gap.statement,
  )
  const between = { ...gap, after: row.after_on, before: row.before_on }
  const done = (await queries.undebitedWithin(db, between)).filter(({ key }) => gap.known.includes(key))
  await bookInGap(bank, db, { row, account, payments: done, rest: gap.rest }, report)
}

type InGap = {
  row: queries.GapRow
  account: OwnAccount
  payments: readonly { key: string; amount: bigint }[]
  rest: bigint
}

/** Books in a gap the debits of payments of ours, and the rest. What a payment cost beyond its amount is in the rest. */
async function bookInGap(
  bank: Bank,
  db: Atomic,
  { row, account, payments, rest }: InGap,
  report: ReportEvents,
): Promise<void> {
  const on = { on: row.before_on, text: textOf(account, row) }
  const debits = payments.map(({ key, amount }) => ({ ...lumpOf(-amount, on), endToEndId: key }))
  const reportAll: BankReports['report'] = (block, events) => report(block, [...events])
  for (const [kind, stated] of [
    ['known', debits],
    ['lump', rest === 0n ? [] : [lumpOf(rest, on)]],
  ] as const) {
    const news = stated.map((one) => newBooking(bank, one))
    const explain = await explainerFor(bank, db, row, news)
    const received = { statement: { account, kind: 'camt.053' as const }, file: { id: row.file_id, name: row.file } }
    const at = bank.clock.now()
    const reports = { report: reportAll, charge: () => Promise.resolve() }
    await bookNews(bank, db, { ...received, at, news, statementId: row.statement_id, gap: kind }, { explain, reports })
  }
}

/** What was booked of a gap, of money that left, and may have the debit of a payment that the bank has not answered. */
export async function differenceWith(db: Db, rail: string, key: string): Promise<queries.LumpRow | undefined> {
  for (const lump of await queries.lumpsOfAtLeast(db, rail, key)) {
    const within = await queries.undebitedWithin(db, { ...lump, after: lump.after_on, before: lump.before_on })
    if (within.some((one) => one.key === key && one.state === 'sent')) return lump
  }
  return undefined
}

/** Books, as operators have said, that the debit of a payment is in what was booked of a gap: what is left of that is one amount again. */
export async function bookPaid(bank: Bank, db: Atomic, key: string, report: ReportEvents): Promise<void> {
  const lump = await differenceWith(db, bank.name, key)
  const booking = lump && (await notifiedBooking(db, bank.name, lump.id))
  const row = lump && (await queries.gapBefore(db, bank.name, { statementId: lump.statement_id }))
  const account = row && accountIn(bank, row)
  if (!booking || !account) throw new Error(`No booked difference may have the debit of ${key}.`)
  withdrawBooking(db, bank.name, booking)
  const payments = [{ key, amount: lump.of }]
  await bookInGap(bank, db, { row, account, payments, rest: lump.of - lump.amount }, report)
}

const accountIn = ({ accounts }: Bank, { account, asset }: Pick<StatementScope, 'account' | 'asset'>) =>
  accounts.find((one) => accountIdOf(one) === account && one.asset.id === asset)

const newBooking = (bank: Bank, stated: StatedBooking): IdentifiedBooking => ({
  ...comparedBooking(bank, stated),
  known: [],
  doubt: undefined,
  chargeOf: null,
})

function textOf({ asset }: OwnAccount, gap: queries.GapRow): string {
  const shown = (amount: bigint): string => `${formatAmount(amount, asset)} ${asset.ticker}`
  const named = nameOfStatement({ ...gap, on: gap.before_on })
  return `${named}: it opens with ${shown(gap.opening)}, and the one before it closed with ${shown(gap.closed)}.`
}

/** What persons have decided about waits for a person, all of it: it may be what they have booked. */
export const waitingFor = (news: readonly IdentifiedBooking[], decided: Decision): IdentifiedBooking[] =>
  decided === undefined
    ? [...news]
    : news.map((one) => (one.doubt ? one : { ...one, doubt: { why: 'double', of: lumpIn(decided) } }))

/** Undefined: nobody has decided. */
export type Decision = { lump_id: bigint | null } | undefined
const lumpIn = (decided: NonNullable<Decision>) => (decided.lump_id === null ? undefined : { id: decided.lump_id })

/**
 * What is notified of days that persons have decided about, as no statement has it, waits for a person; and so does what is of days before the
 * first statement of its account, where the opening balance is booked.
 */
export async function waitingForDays(
  db: Atomic,
  { scope, at, news }: { scope: StatementScope; at: Date; news: readonly IdentifiedBooking[] },
  reports: BankReports,
): Promise<IdentifiedBooking[]> {
  const first = await bankOpening(db, scope)
  const openedOn = first && (await reports.isOpened(db, scope)) ? first.closing_on : ''
  const today = at.toISOString().slice(0, 10)
  const waiting: IdentifiedBooking[] = []
  for (const one of news) {
    const day = one.stated.bookedOn || one.stated.valueOn
    // Without a day it was booked when it is reported, or before.
    const days = day ? { from: day, until: day } : { from: dayAfter(today, -apart.pending), until: today }
    const [decided] = await queries.decidedGaps(db, scope, days)
    const isInOpening = day !== '' && day < openedOn
    waiting.push(...waitingFor([one], decided ?? (isInOpening ? { lump_id: null } : undefined)))
  }
  return waiting
}
