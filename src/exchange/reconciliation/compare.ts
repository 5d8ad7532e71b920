import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { mayBeCharge, type StatementCause, type StatementLine } from '../../rails/statement.ts'
import type { Item, ItemKey, Progress } from './items.sql.ts'

/** What a statement has of one payment in one asset, summed; below zero for what left. */
export type Stated = Item & { reference: string; about?: StatementLine['about'] }

/** How a difference came about, as far as both sides tell. */
export type Cause =
  | StatementCause
  | 'other_account' //     booked at one account, and stated at another
  | 'charge_not_booked' // the custodian has charged it
  | 'returned' //          a payout came back, and the books do not have it
  | 'signed_unknown' //    the signer has signed it, and no payout of ours is behind it
  | 'arrived_unseen' //    coins that no payment to us brought, and that belong to no order
  | 'recalled' //          a deposit was reversed, and the books do not have it

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
      cause: causeOf(line, item, state),
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
      cause: 'missing',
      isOnItsWay,
    })
  }
  return found
}

function causeOf(line: Stated, item: Item | undefined, progress: Progress | undefined): Cause {
  if (line.about === 'return') return 'returned'
  if (line.about === 'recall') return 'recalled'
  if (line.about === 'charge') return 'charge_not_booked'
  if (item) return causeOfAmount(line, item)
  if (line.about === 'gap') return 'opening_differs'
  if (line.about === 'other') return 'not_ours'
  // What left, and no payout of ours is.
  return line.amount < 0n && !progress?.state ? 'not_ours' : 'swallowed'
}

/** Both sides have a payment, with different amounts. What is stated of one that went back as a whole is nothing any more. */
function causeOfAmount({ direction, amount, asset: id }: Stated, booked: Item): Cause {
  if (amount === 0n) return direction === 'in' ? 'recalled' : 'returned'
  if (amount === 2n * booked.amount) return 'double'
  const asset = bookedAsset(id)
  const more = booked.amount - amount
  // More than the payout was is no charge for it.
  const isCharge = direction === 'out' && asset && more < -booked.amount && mayBeCharge(asset, more)
  return isCharge ? 'charge_not_booked' : 'other_amount'
}
