import { lifecycle, type Status } from '../transactions/lifecycle.ts'
import type { Move } from './verify.sql.ts'

/** What a history is held against: the transaction's entries as `kind:ref`, and the refs of reversals that undid an exchange. */
export type Books = { booked: string[]; undoing: bigint[] }

/**
 * What is wrong with a history: it has no gaps, begins with the creation, goes only where one can go, and what happened in it is
 * what was booked, once each. Each sentence goes on from "Transaction 1 ".
 */
export function faultsOfHistory(history: Move[], books: Books): string[] {
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
  return [...faults.filter(([isWrong]) => isWrong).map(([, fault]) => fault), ...unlikeTheBooks(history, books)]
}

/** How many statuses a history went through: a partner is told of each. */
export const statusesIn = (history: Move[]): number =>
  history.filter(([, , status], index) => status !== history[index - 1]?.[2]).length

/** How many moves a history has that partners hear of although the status stays. */
export const toldBesides = (history: Move[]): number =>
  history.filter(([, fact, status], index) => status === history[index - 1]?.[2] && besidesStatus.test(fact)).length

const besidesStatus = /^(deposit_reversed|payout_unclear|payout_clear):/

/** Facts after which there is one status only. */
const certain: Record<string, Status> = {
  created: 'new',
  opened: 'waiting_for_customer',
  complete: 'waiting_for_deposit',
  deadline: 'expired',
  address_given: 'exchanging',
  exchanged_anew: 'exchanging',
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
  ['exchanged_anew', 'exchange'],
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

function unlikeTheBooks(history: Move[], { booked, undoing }: Books): string[] {
  const happened = new Set(
    history.flatMap(([, fact]) => {
      const [name = '', ref = ''] = fact.split(':')
      const kind = entryOf.get(name)
      return kind === undefined ? [] : [`${kind}:${ref}`]
    }),
  )
  const all = new Set(booked)
  const others = booked.filter((entry) => !besides.has(kindOf(entry)))
  const exchanges = booked.filter((entry) => kindOf(entry) === 'exchange').length
  const due = exchangesIn(history, new Set(undoing.map(String)))
  return [
    ...[...happened].filter((entry) => !all.has(entry)).map((entry) => `has no ${entry} in the books`),
    ...others
      .filter((entry) => !happened.has(entry))
      .map((entry) => `has ${entry} in the books and not in its history`),
    ...(exchanges === due ? [] : [`was exchanged ${exchanges} times and not ${due}`]),
  ]
}

/**
 * How often a history says that something was exchanged: where it went on to be exchanging, unless that only ordered a payout again,
 * and where it was exchanged anew, because a reversal had undone what was exchanged before. That is a move of its own now; in
 * histories from before, the reversal's is the only one.
 */
function exchangesIn(history: Move[], undoing: ReadonlySet<string>): number {
  return history.filter(([, fact, status], index) => {
    if (status !== 'exchanging') return false
    const [name = '', ref = ''] = fact.split(':')
    if (history[index - 1]?.[2] !== 'exchanging') return !orderedAgain.has(name)
    if (name === 'exchanged_anew') return true
    const isTold = history[index + 1]?.[1].startsWith('exchanged_anew:') ?? false
    return name === 'deposit_reversed' && undoing.has(ref) && !isTold
  }).length
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
