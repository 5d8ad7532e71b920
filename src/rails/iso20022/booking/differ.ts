import { type Asset, formatAmount } from '../../../platform/money/amount.ts'
import type { ChainedStatement } from './chain.sql.ts'
import type { Misplaced, NewStatement } from './chain.ts'
import type { IdentifiedBooking } from './identify.ts'
import type { StoredBooking } from './queries.ts'

/** Why nothing of a statement is booked, as a cause and a sentence, and the amount, in the asset's smallest unit. */
export type StatementDifference = {
  /** None where nothing waits for a person. */
  cause?: 'opening_differs' | 'missing' | 'double' | 'swallowed' | 'other_amount'
  why: string
  amount: bigint
}

const ifAccepted =
  'It is older than what is booked: if the file is accepted, what it says is in the opening balance, and nothing of it is booked.'

/** It opens with another balance than the one before it closed with, or else closes with another one than the next one opened with. */
export function openingDiffers(
  asset: Asset,
  { balance, page }: NewStatement,
  { previous, opensNext, isInOpening }: Pick<Misplaced, 'previous' | 'opensNext' | 'isInOpening'>,
): StatementDifference {
  if (!previous && opensNext === null)
    return {
      cause: 'opening_differs',
      why: `It is page ${page} of the first statement of its account, and no earlier page has come. If the file is accepted, the account begins with it.`,
      amount: balance.closing - balance.opening,
    }
  const shown = (amount: bigint): string => `${formatAmount(amount, asset)} ${asset.ticker}`
  const closed = previous?.closing ?? 0n
  if (opensNext !== null && (!previous || closed === balance.opening))
    return {
      cause: 'opening_differs',
      why: `The statement closes with ${shown(balance.closing)}, but the next one opened with ${shown(opensNext)}.${isInOpening ? ` ${ifAccepted}` : ''}`,
      amount: opensNext - balance.closing,
    }
  return {
    cause: 'opening_differs',
    why: `The statement opens with ${shown(balance.opening)}, but the last one closed with ${shown(closed)}.`,
    amount: balance.opening - closed,
  }
}

/** It leads to the first statement of its account, whose opening balance is booked. */
export const beforeOpening = ({ balance }: NewStatement): StatementDifference => ({
  cause: 'opening_differs',
  why: `It leads to the first statement of the account, whose opening balance is booked. ${ifAccepted}`,
  amount: balance.closing - balance.opening,
})

/** It comes between two statements, and persons have decided about what lies there. */
export const decidedAlready = ({ balance }: NewStatement): StatementDifference => ({
  cause: 'double',
  why: 'Operators have decided about these days before this statement came. If the file is accepted, what it brings waits for a person, in suspense or among the debits without an order, and what was booked instead is a break to withdraw.',
  amount: balance.closing - balance.opening,
})

/** An older statement than the first one of its account that was booked. */
export const inOpening: StatementDifference = {
  why: 'It is older than the first statement that is booked: what it says is in the opening balance, and nothing of it is booked.',
  amount: 0n,
}

/** How a statement differs from itself, as it came before; undefined where it does not. */
export function differenceOf(
  { balance }: NewStatement,
  seen: ChainedStatement,
  { identified, known }: { identified: readonly IdentifiedBooking[]; known: readonly StoredBooking[] },
): StatementDifference | undefined {
  const fresh = identified.filter((one) => one.known.length === 0 && !one.stated.isPending).map(({ stated }) => stated)
  const gone = goneFrom(seen, { identified, known })
  const sum = (all: readonly { direction: 'in' | 'out'; amount: bigint }[]): bigint =>
    all.reduce((total, { direction, amount }) => total + (direction === 'in' ? amount : -amount), 0n)
  const amount = sum(fresh) - sum(gone)
  const isSameBalance =
    balance.opening === seen.opening && balance.closing === seen.closing && balance.on === seen.closing_on
  if (fresh.length === 0 && gone.length === 0 && isSameBalance) return undefined
  const parts = [
    ...(fresh.length > 0 ? [`bookings that it did not have: ${fresh.length}`] : []),
    ...(gone.length > 0 ? [`bookings that it no longer has: ${gone.length}`] : []),
    ...(isSameBalance ? [] : ['other balances or another day']),
  ]
  return {
    cause: fresh.length > 0 && gone.length > 0 ? 'other_amount' : gone.length > 0 ? 'missing' : 'swallowed',
    why: `This statement came before with other content (${parts.join('; ')}).`,
    amount: amount === 0n ? balance.closing - seen.closing : amount,
  }
}

/** The bookings of a statement, as it came before, that it no longer has. */
export function goneFrom(
  seen: ChainedStatement,
  { identified, known }: { identified: readonly IdentifiedBooking[]; known: readonly StoredBooking[] },
): StoredBooking[] {
  const found = new Set(identified.flatMap((one) => one.known.map(({ id }) => id)))
  return known.filter((one) => one.statement_id === seen.id && !found.has(one.id))
}
