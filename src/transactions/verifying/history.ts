import { lifecycle, type Status } from '../lifecycle.ts'
import type { Move } from './queries.ts'

/**
 * What is wrong with a history: it has no gaps, begins with the creation, goes only where one can go, and what happened in it is
 * what was booked, once each. `booked`: the transaction's entries as `kind:ref`. Each sentence goes on from "Transaction 1 ".
 */
export function faultsOfHistory(history: Move[], booked: string[]): string[] {
  const [first] = history
  const faults: [boolean, string][] = [
    [history.some(([number], index) => number !== index + 1), 'has a gap in its history'],
    [first?.[1] !== 'created' || first[2] !== 'new', 'has a history that does not begin with its creation'],
  ]
  for (const [index, [, fact, status]] of history.entries()) {
    const before = history[index - 1]?.[2] ?? status
    faults.push(
      [status !== before && !lifecycle[before].includes(status), `went from ${before} to ${status}`],
      [(certain[fact.split(':')[0] ?? ''] ?? status) !== status, `is said to be ${status} by ${fact}`],
    )
  }
  return [...faults.filter(([isWrong]) => isWrong).map(([, fault]) => fault), ...unlikeTheBooks(history, booked)]
}

/** How many statuses a history went through: a partner is told of each. */
export const statusesIn = (history: Move[]): number =>
  history.filter(([, , status], index) => status !== history[index - 1]?.[2]).length

/** Facts after which there is one status only. */
const certain: Record<string, Status> = {
  created: 'new',
  opened: 'waiting_for_customer',
  complete: 'waiting_for_deposit',
  deadline: 'expired',
  address_given: 'exchanging',
  payout_planned: 'sending',
}

/** What is booked whenever it happens. */
const entryOf: ReadonlyMap<string, string> = new Map([
  ['deposit', 'deposit'],
  ['deposit_reversed', 'deposit_reversed'],
  ['payout_planned', 'payout_sent'],
  ['payout_settled', 'payout_settled'],
  ['payout_returned', 'payout_returned'],
])

function unlikeTheBooks(history: Move[], booked: string[]): string[] {
  const happened = new Set(
    history.flatMap(([, fact]) => {
      const [name = '', ref = ''] = fact.split(':')
      const kind = entryOf.get(name)
      return kind === undefined ? [] : [`${kind}:${ref}`]
    }),
  )
  const exchanges = booked.filter((entry) => entry.startsWith('exchange:'))
  const others = new Set(booked.filter((entry) => !entry.startsWith('exchange:')))
  const due = history.some(([, , status]) => status === 'exchanging') ? 1 : 0
  return [
    ...[...happened].filter((entry) => !others.has(entry)).map((entry) => `has no ${entry} in the books`),
    ...[...others]
      .filter((entry) => !happened.has(entry))
      .map((entry) => `has ${entry} in the books and not in its history`),
    ...(exchanges.length === due ? [] : [`was exchanged ${exchanges.length} times and not ${due}`]),
  ]
}
