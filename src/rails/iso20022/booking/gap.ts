import type { Atomic } from '../../../platform/db/sql.ts'
import { formatAmount } from '../../../platform/money/amount.ts'
import { accountIdOf, type Bank, type BankReports, type OwnAccount } from '../bank.ts'
import { keepLease } from '../lease.ts'
import { isPaymentKey } from '../paying/order.ts'
import { lumpOf, nameOfStatement } from '../reading/interpret.ts'
import { apart, dayAfter } from './agree.ts'
import { bookNews } from './book-news.ts'
import { paymentOf } from './events.ts'
import { newExplainer } from './explain.ts'
import * as queries from './gap.sql.ts'
import type { IdentifiedBooking } from './identify.ts'
import type { StatementScope, StoredBooking } from './queries.ts'
import { notifiedBooking, withdrawBooking } from './withdraw.ts'

/** Whose statements are looked at, and when. */
type Reckoned = { account: OwnAccount; at: Date }

/**
 * Books what statements of an account open differently by from those that they continue, as one amount that a person decides about,
 * so that the books have what the bank has: only where nothing overlaps and no booking of about those days waits for a statement. Else nothing is
 * booked, and it is a finding. What a person has decided about stays.
 */
export async function settleGaps(
  bank: Bank,
  db: Atomic,
  { account, at }: Reckoned,
  reports: BankReports,
): Promise<void> {
  for (const gap of await queries.unsettledGaps(db, scopeOf(bank, account))) {
    const lumps = await queries.lumpsBefore(db, bank.name, gap.statement_id)
    const decided = await decidedOf(bank, db, lumps, reports)
    const undecided = lumps.filter((one) => !decided.includes(one))
    for (const { id } of undecided) await withdrawLump(bank, db, id, reports)
    const isBooked = gap.is_clear && !gap.is_pending && decided.length === 0 && gap.moved !== 0n
    if (isBooked) await bookLump(bank, db, { account, at }, gap, reports)
    if (isBooked || undecided.length > 0) reports.taken(db, { id: gap.file_id })
  }
}

/** Settles what is left to settle although no file has come: a person may have withdrawn what was in its way. */
export async function settleAllGaps(bank: Bank, holder: string, reports: BankReports): Promise<void> {
  for (const account of bank.accounts) {
    if ((await queries.unsettledGaps(bank.db, scopeOf(bank, account))).length === 0) continue
    await bank.db.atomic(async (db) => {
      if (!(await keepLease(db, bank.name, holder))) throw new Error('Another process has taken over the bank.')
      await settleGaps(bank, db, { account, at: bank.clock.now() }, reports)
    })
  }
}

const scopeOf = ({ name }: Bank, account: OwnAccount): StatementScope => ({
  rail: name,
  account: accountIdOf(account),
  asset: account.asset.id,
})

/** The amounts that a person has decided about. */
export async function decidedOf(
  bank: Bank,
  db: Atomic,
  lumps: readonly StoredBooking[],
  reports: BankReports,
): Promise<StoredBooking[]> {
  const decided: StoredBooking[] = []
  for (const lump of lumps)
    if (await reports.isDecided(db, { rail: bank.name, payment: paymentOf(lump.id) })) decided.push(lump)
  return decided
}

/**
 * What a notification says of the days of a gap that a person has decided about, as no statement has it: whatever its amount, it may be a
 * part of that, and waits for a person. What names a payment or deposit of ours that it gives back only does if it is no more than that.
 */
export async function doubtedByDecisions(
  bank: Bank,
  db: Atomic,
  { scope, at }: { scope: StatementScope; at: Date },
  { news, reports }: { news: readonly IdentifiedBooking[]; reports: BankReports },
): Promise<IdentifiedBooking[]> {
  const doubted: IdentifiedBooking[] = []
  const today = at.toISOString().slice(0, 10)
  for (const one of news) {
    const { isCharge, bookedOn, valueOn } = one.stated
    const day = bookedOn || valueOn
    // Without a day it was booked when it is reported, or before.
    const days = day ? { from: day, until: day } : { from: dayAfter(today, -apart.pending), until: today }
    const lumps = one.doubt || isCharge ? [] : await queries.lumpsAbout(db, scope, days)
    const [of] = await decidedOf(
      bank,
      db,
      lumps.filter((lump) => !isReturn(one) || isWithin(one, lump)),
      reports,
    )
    doubted.push(of ? { ...one, doubt: { why: 'double', of } } : one)
  }
  return doubted
}

const isReturn = ({ stated: { direction, isReturn: isMarked, reference, endToEndId } }: IdentifiedBooking): boolean =>
  direction === 'in' ? isPaymentKey(endToEndId) : isMarked || reference !== ''

const isWithin = ({ stated }: IdentifiedBooking, lump: StoredBooking): boolean =>
  stated.direction === lump.direction && stated.amount <= lump.amount

async function bookLump(
  bank: Bank,
  db: Atomic,
  { account, at }: Reckoned,
  gap: queries.UnsettledGap,
  reports: BankReports,
): Promise<void> {
  const lump: IdentifiedBooking = {
    stated: lumpOf(gap.moved, { on: gap.closing_on, text: textOf(account, gap) }),
    known: [],
    doubt: undefined,
    endToEnd: null,
    payer: null,
    name: null,
    chargeOf: null,
  }
  const explain = { of: newExplainer([], []), deposits: [] }
  const statement = { account, kind: 'camt.053' as const }
  const file = { id: gap.file_id, name: gap.file }
  const news = { statement, file, at, news: [lump], statementId: gap.statement_id, gap: 'lump' as const }
  await bookNews(bank, db, news, { explain, reports })
}

function textOf({ asset }: OwnAccount, gap: queries.UnsettledGap): string {
  const shown = (amount: bigint): string => `${formatAmount(amount, asset)} ${asset.ticker}`
  const named = nameOfStatement({ ...gap, on: gap.closing_on })
  return `${named}: it opens with ${shown(gap.opening)}, and the one before it closed with ${shown(gap.closed)}.`
}

/** Withdraws an amount that stood for what nobody knew. */
export async function withdrawLump(bank: Bank, db: Atomic, id: bigint, reports: BankReports): Promise<void> {
  const lump = await notifiedBooking(db, bank.name, id)
  if (!lump) return
  await reports.report(db, withdrawBooking(db, bank.name, lump).events)
  if (lump.kind === 'unexplained') await reports.debitGone(db, { rail: bank.name, payment: paymentOf(id) })
}
