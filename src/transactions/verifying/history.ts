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
  ['suspense_matched', 'suspense_matched'],
  ['deposit_reversed', 'deposit_reversed'],
  ['payout_planned', 'payout_sent'],
  ['payout_settled', 'payout_settled'],
  ['payout_returned', 'payout_returned'],
  ['payout_failed', 'payout_failed'],
  ['refund_planned', 'payout_sent'],
  ['refund_settled', 'payout_settled'],
  ['refund_returned', 'payout_returned'],
  ['refund_failed', 'payout_failed'],
])

/** What is booked along with something else: its amounts are compared with what deposits were used for. */
const besides: ReadonlySet<string> = new Set([
  'exchange',
  'exchange_mirrored',
  'loss_recovered',
  'refund_cost',
  'refund_cost_mirrored',
  'write_off',
])

/** What makes a transaction exchange again and is no exchange: a payout is ordered once more, or goes on. */
const orderedAgain: ReadonlySet<string> = new Set(['address_given', 'ordered_again', 'resumed', 'payout_approved'])

const kindOf = (entry: string): string => entry.slice(0, entry.indexOf(':'))

function unlikeTheBooks(history: Move[], booked: string[]): string[] {
  const happened = new Set(
    history.flatMap(([, fact]) => {
      const [name = '', ref = ''] = fact.split(':')
      const kind = entryOf.get(name)
      return kind === undefined ? [] : [`${kind}:${ref}`]
    }),
  )
  const exchanges = booked.filter((entry) => kindOf(entry) === 'exchange').length
  const others = new Set(booked.filter((entry) => !besides.has(kindOf(entry))))
  // What is taken back of an exchange that is not paid yet mirrors it, and what is left is exchanged anew without a new status.
  const anew = history.filter(
    ([, fact, status], index) =>
      status === 'exchanging' && history[index - 1]?.[2] === 'exchanging' && fact.startsWith('deposit_reversed:'),
  ).length
  const mirrored = booked.filter((entry) => kindOf(entry) === 'exchange_mirrored').length
  const due = history.filter(
    ([, fact, status], index) =>
      status === 'exchanging' &&
      history[index - 1]?.[2] !== 'exchanging' &&
      !orderedAgain.has(fact.split(':')[0] ?? ''),
  ).length
  return [
    ...[...happened].filter((entry) => !others.has(entry)).map((entry) => `has no ${entry} in the books`),
    ...[...others]
      .filter((entry) => !happened.has(entry))
      .map((entry) => `has ${entry} in the books and not in its history`),
    ...(exchanges >= due && exchanges <= due + Math.min(anew, mirrored)
      ? []
      : [`was exchanged ${exchanges} times and not ${due}`]),
  ]
}

/**
 * The kinds of what was booked and still stands, refunds left out: a payout that came back takes its sending and its evidence along,
 * one that never left its sending, a mirror its exchange.
 */
export function standingKinds(booked: string[], history: Move[]): string[] {
  const refunds = new Set(
    history.flatMap(([, fact]) => (fact.startsWith('refund_') ? [fact.slice(fact.indexOf(':') + 1)] : [])),
  )
  const left = booked
    .filter((entry) => !kindOf(entry).startsWith('payout_') || !refunds.has(entry.slice(entry.indexOf(':') + 1)))
    .map((entry) => (kindOf(entry) === 'suspense_matched' ? 'deposit' : kindOf(entry)))
  for (const kind of left.slice()) {
    for (const taken of takesAlong.get(kind) ?? []) {
      const at = left.indexOf(taken)
      if (at >= 0) left.splice(at, 1)
    }
  }
  return left
}

const takesAlong: ReadonlyMap<string, readonly string[]> = new Map([
  ['payout_returned', ['payout_sent', 'payout_settled']],
  ['payout_failed', ['payout_sent']],
  ['exchange_mirrored', ['exchange']],
])
