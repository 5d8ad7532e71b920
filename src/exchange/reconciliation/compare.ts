import type { Item, ItemKey, Progress } from './items.sql.ts'

/** What a statement has of one payment in one asset, summed; below zero for what left. */
export type Stated = Item & { reference: string }

/** How a difference came about, as far as both sides tell. */
export type Cause =
  | 'event_missing' //      the rail has money that it never reported to us
  | 'event_not_settled' //  the rail reported it, and it is not booked
  | 'payout_not_settled' // the payout left, and its evidence is not booked
  | 'not_on_statement' //   booked, and not on the statement
  | 'other_amount' //       both have it, with different amounts
  | 'no_statement' //       only the balance can be compared
  | 'unexplained'

/**
 * What the statement has of one payment more than the books, or less (below zero). `isOnItsWay`: it is so recent, or so plainly
 * under way, that it will likely disappear by itself.
 */
export type Difference = Omit<Item, 'first' | 'last'> & {
  kind: 'not_booked' | 'not_stated' | 'amount'
  cause: Cause
  isOnItsWay: boolean
}

/** How long the books may take to catch up with a statement, in milliseconds. */
const booksLagMs = 3_600_000
/** How long a statement may take to catch up with the books, in milliseconds. */
export const statementLagMs = 3 * 86_400_000

export const nameOf = ({ rail, direction, key }: ItemKey): string => `${rail} ${direction} ${key}`

/** Compares a statement with the books, payment by payment. `now`: business time. Gives nothing for what agrees. */
export function compareItems(
  stated: readonly Stated[],
  booked: readonly Item[],
  progress: readonly Progress[],
  now: Date,
): Difference[] {
  const states = new Map(progress.map((one) => [nameOf(one), one]))
  const known = new Map(booked.map((item) => [`${nameOf(item)} ${item.asset}`, item]))
  const found: Difference[] = []
  for (const line of stated) {
    const name = `${nameOf(line)} ${line.asset}`
    const item = known.get(name)
    known.delete(name)
    const amount = line.amount - (item?.amount ?? 0n)
    if (amount === 0n) continue
    // What both sides have and the rail has not touched since we booked it will not change by itself.
    const isNewer = item === undefined || line.last > item.last
    const isRecent = isNewer && now.getTime() - line.last.getTime() < booksLagMs
    const state = states.get(nameOf(line))
    const isSent = state?.state === 'planned' || state?.state === 'submitted' || state?.state === 'unknown'
    const isUnderWay = item === undefined && isSent && now.getTime() - line.last.getTime() < statementLagMs
    const { rail, direction, key, asset } = line
    found.push({
      rail,
      direction,
      key,
      asset,
      amount,
      kind: item ? 'amount' : 'not_booked',
      cause: item ? 'other_amount' : causeOf(line, state),
      isOnItsWay: isRecent || isUnderWay,
    })
  }
  for (const { rail, direction, key, asset, amount, last } of known.values()) {
    if (amount === 0n) continue
    const isOnItsWay = now.getTime() - last.getTime() < statementLagMs
    found.push({
      rail,
      direction,
      key,
      asset,
      amount: -amount,
      kind: 'not_stated',
      cause: 'not_on_statement',
      isOnItsWay,
    })
  }
  return found
}

function causeOf({ direction }: ItemKey, progress: Progress | undefined): Cause {
  if (direction === 'in') return progress?.isReported ? 'event_not_settled' : 'event_missing'
  return progress?.state ? 'payout_not_settled' : 'unexplained'
}
