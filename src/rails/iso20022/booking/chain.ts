import type { CheckedStatement } from '../reading/interpret.ts'
import type { ChainedStatement } from './chain.sql.ts'

/** What a statement opens and closes with, and its last day. */
export type StatementBalance = NonNullable<CheckedStatement['balance']>

/** A statement of a day, as it takes its place among those that came. */
export type NewStatement = Pick<CheckedStatement, 'number' | 'page' | 'period'> & {
  balance: StatementBalance
}

/**
 * `known`: it came before. `new`: between two others; it continues at least one of them, or is the first of its account.
 * `differs`: it opens with another balance than `previous` closed with, or closes with another one than the next one opens with; or
 * it is a later page of the first statement of its account, and has neither.
 */
export type Placement =
  | { state: 'known'; statement: ChainedStatement }
  | { state: 'new'; isInOpening: boolean; previousId: bigint | null; nextId: bigint | null }
  | Misplaced

export type Misplaced = {
  state: 'differs'
  previous: ChainedStatement | undefined
  /** What the next one opens with; null without one. */
  opensNext: bigint | null
  previousId: bigint | null
  nextId: bigint | null
  /** It is older than what is booked of the account, which began with an opening balance. */
  isInOpening: boolean
}

/**
 * Finds the place of a statement. It is its account and number, else its account and period: its own id and time change whenever the
 * bank sends it. Files come in any order, so it may continue any statement that nothing continues yet, or come before one.
 */
export function placeStatement(statement: NewStatement, near: readonly ChainedStatement[]): Placement {
  const { balance } = statement
  // What moved nothing in all fits between two that continue each other.
  const isStill = balance.opening === balance.closing
  const fits = (one: ChainedStatement): boolean =>
    (one.next_id === null ||
      ((isStill || one.opens_next !== one.closing) && balance.on <= (one.closes_next_on ?? ''))) &&
    one.closing === balance.opening &&
    (one.closing_on <= balance.on || isNumberedBefore(one, statement))
  const precedes = (one: ChainedStatement): boolean =>
    (one.previous_id === null || (one.closed_before !== one.opening && (one.closed_before_on ?? '') <= balance.on)) &&
    one.opening === balance.closing &&
    isLater(one, statement)
  const previous = near.findLast(fits)
  const next = near.find((one) => precedes(one) && one.id !== previous?.id)
  const known = near.find((one) => isSameStatement(one, statement, previous !== undefined))
  if (known) return { state: 'known', statement: known }
  if (previous)
    return {
      state: 'new',
      isInOpening: previous.is_in_opening,
      previousId: previous.id,
      nextId: previous.next_id ?? next?.id ?? null,
    }
  if (next) {
    const isInOpening =
      next.is_in_opening || near.some(({ id, is_in_opening: isIn }) => isIn && id === next.previous_id)
    return { state: 'new', isInOpening, previousId: next.previous_id, nextId: next.id }
  }
  if (near.length === 0) {
    const first = { isInOpening: false, previousId: null, nextId: null }
    // A later page does not begin an account: what the earlier ones say would be in its opening balance.
    if (statement.page > 1) return { state: 'differs', previous: undefined, opensNext: null, ...first }
    return { state: 'new', ...first }
  }
  const last = near.findLast(
    (one) => one.closing_on < balance.on || (one.closing_on === balance.on && !isLater(one, statement)),
  )
  if (last)
    return {
      state: 'differs',
      previous: last,
      opensNext: last.opens_next,
      isInOpening: last.is_in_opening,
      previousId: last.id,
      nextId: last.next_id,
    }
  const oldest = near.find((one) => one.previous_id === null)
  const opensNext = oldest?.opening ?? null
  return {
    state: 'differs',
    previous: undefined,
    opensNext,
    isInOpening: true,
    previousId: null,
    nextId: oldest?.id ?? null,
  }
}

function isSameStatement(
  one: ChainedStatement,
  { number, page, period, balance }: NewStatement,
  continues: boolean,
): boolean {
  if (one.page !== page) return false
  const isSameDay = one.closing_on === balance.on
  const isSameBalance = one.opening === balance.opening && one.closing === balance.closing
  // One that opens and closes otherwise comes after a gap.
  const hasOneBalance = one.opening === balance.opening || one.closing === balance.closing
  if (one.number !== null && number !== undefined) {
    if (one.number !== number || one.closing_on.slice(0, 4) !== balance.on.slice(0, 4)) return false
    // A bank that gives every statement one number does not number: then each continues the last one on a later day.
    return isSameDay || isSameBalance || (hasOneBalance && !(continues && balance.on > one.closing_on))
  }
  if (!isSameDay) return false
  if (one.number !== null || number !== undefined) return isSameBalance
  const isSamePeriod = one.period === '' || period === '' || one.period === period
  return isSamePeriod && (isSameBalance || (hasOneBalance && !continues))
}

const isNumberedBefore = (one: ChainedStatement, { number, page }: NewStatement): boolean =>
  number !== undefined &&
  one.number !== null &&
  (one.number + 1n === number || (one.number === number && one.page < page))

/** Of a later day, or of the same one with a higher number: what comes after a statement never leads back to it. */
const isLater = (one: ChainedStatement, statement: NewStatement): boolean => {
  const { number, balance } = statement
  if (isNumberedAfter(one, statement)) return true
  if (one.closing_on !== balance.on) return one.closing_on > balance.on
  return number !== undefined && one.number !== null && one.number > number
}

const isNumberedAfter = (one: ChainedStatement, { number, page }: NewStatement): boolean =>
  number !== undefined &&
  one.number !== null &&
  (one.number === number + 1n || (one.number === number && one.page > page))
