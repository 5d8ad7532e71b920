import type { Atomic } from '../../../platform/db/sql.ts'
import type { Bank, BankReports } from '../bank.ts'
import type { ChainedStatement } from './chain.sql.ts'
import type { StatementBalance } from './chain.ts'
import type { StatementDifference } from './differ.ts'
import { paymentOf } from './events.ts'
import type { Explanation } from './explain.ts'
import { decidedOf, withdrawLump } from './gap.ts'
import * as queries from './gap.sql.ts'
import type { IdentifiedBooking } from './identify.ts'
import type { StoredBooking } from './queries.ts'

/** What a new booking would be booked as, and the payments of ours that it names. */
type BookingSubject = Pick<Explanation, 'kind'> & { payments: string[] }

/** A statement that comes between two others. `look`: what its bookings are, and what a new one is about. */
type Coming = {
  balance: StatementBalance
  previousId: bigint | null
  laterId: bigint
  look(): Promise<{ identified: IdentifiedBooking[]; explain(one: IdentifiedBooking): Promise<BookingSubject> }>
  /** What a person has decided about and operators have agreed to reverse. */
  takesBack: readonly string[]
}

/** Why nothing of the statement is booked; or the lumps that lie before it, rather than after it. */
type Room = { why: StatementDifference } | { moved: bigint[] }

/**
 * Makes room for a statement between two others, where a person has decided about what was not known there. That stays as it is where the
 * statement leaves just as much unknown, or has one booking, and this names nothing of ours but the order that it was matched to. Otherwise nothing of the statement
 * is booked until operators have accepted that it is reversed.
 */
export async function makeRoom(bank: Bank, db: Atomic, coming: Coming, reports: BankReports): Promise<Room> {
  const { balance, laterId, takesBack } = coming
  const decided = await decidedOf(bank, db, await queries.lumpsBefore(db, bank.name, laterId), reports)
  const [lump] = decided
  if (!lump) return { moved: [] }
  const { identified, explain } = await coming.look()
  const rests = await queries.restsAround(db, bank.name, { ...coming, ...balance })
  const amount = sumOf(decided)
  if (rests.later === amount) return { moved: [] }
  if (rests.earlier === amount && rests.later === 0n) return { moved: decided.map(({ id }) => id) }
  const [only, ...others] = identified
  const isAll = only && others.length === 0 && decided.length === 1 && rests.earlier === 0n && rests.later === 0n
  const isOwners = async ({ stated: { reference } }: IdentifiedBooking): Promise<boolean> =>
    reference === '' || reports.isMatchedTo(db, { rail: bank.name, payment: paymentOf(lump.id) }, reference)
  const named = only && isAll && isSameMoney(only, lump) ? await explain(only) : undefined
  if (only && named?.kind === lump.kind && named.payments.length === 0 && (await isOwners(only))) {
    queries.adoptLump(db, lump.id, only.stated)
    return { moved: [] }
  }
  if (!isAgreed(decided, takesBack)) return { why: decidedAlready(decided, amount, named) }
  for (const { id } of decided) await withdrawLump(bank, db, id, reports)
  return { moved: [] }
}

/** What a person has decided about around a statement that a corrected one leaves another amount unknown at. */
export async function undoneBy(
  bank: Bank,
  db: Atomic,
  { balance, seen }: { balance: StatementBalance; seen: ChainedStatement },
  reports: BankReports,
): Promise<StoredBooking[]> {
  const { previous_id: previousId, next_id: laterId } = seen
  const rests = await queries.restsAround(db, bank.name, { previousId, laterId, ...balance })
  const ends = [
    { id: seen.id, rest: rests.earlier, isSame: balance.opening === seen.opening },
    { id: laterId, rest: rests.later, isSame: balance.closing === seen.closing },
  ]
  const undone: StoredBooking[] = []
  for (const { id, rest, isSame } of ends) {
    if (id === null || isSame) continue
    const decided = await decidedOf(bank, db, await queries.lumpsBefore(db, bank.name, id), reports)
    if (sumOf(decided) !== rest) undone.push(...decided)
  }
  return undone
}

const sumOf = (lumps: readonly StoredBooking[]): bigint => lumps.reduce((sum, one) => sum + signed(one), 0n)
const signed = ({ direction, amount }: StoredBooking): bigint => (direction === 'in' ? amount : -amount)

/** Whether operators have agreed to reverse all of it. */
export const isAgreed = (decided: readonly StoredBooking[], takesBack: readonly string[]): boolean =>
  decided.every(({ id }) => takesBack.includes(paymentOf(id)))

/** Whether a booking is new, and no other money than a lump. */
const isSameMoney = ({ stated, known, doubt }: IdentifiedBooking, lump: StoredBooking): boolean =>
  known.length === 0 &&
  doubt === undefined &&
  !stated.isPending &&
  !stated.isReturn &&
  !stated.isCharge &&
  stated.direction === lump.direction &&
  stated.amount === lump.amount

const ifAccepted =
  'If the file is accepted, that is reversed, what was paid out of it is a loss, and the bookings of the statement count.'
const namesOf = (decided: readonly StoredBooking[]): string[] => decided.map(({ id }) => paymentOf(id))

const decidedAlready = (
  decided: readonly StoredBooking[],
  amount: bigint,
  named: BookingSubject | undefined,
): StatementDifference => ({
  cause: 'double',
  why: `What this statement brings was booked as one amount before it came (${namesOf(decided).join(', ')}), and a person has decided about that.${named ? secondTime(named) : ''} ${ifAccepted}`,
  amount,
  takesBack: namesOf(decided),
})

/** A payment of ours that was ended, or has moved before. */
const secondTime = ({ kind, payments }: BookingSubject): string =>
  payments.length > 0 && (kind === 'unexplained' || kind === 'deposit')
    ? ` It names ${payments.join(', ')}, which was ended or has moved before: that has moved a second time.`
    : ''

/** How a corrected statement differs, and what is reversed if operators accept it. */
export const undoes = (difference: StatementDifference, undone: readonly StoredBooking[]): StatementDifference =>
  undone.length === 0
    ? difference
    : {
        ...difference,
        why: `${difference.why} A person has decided about what no statement had around it (${namesOf(undone).join(', ')}). ${ifAccepted}`,
        takesBack: namesOf(undone),
      }
