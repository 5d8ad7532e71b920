import { lifecycle, type Status } from '../transactions/lifecycle.ts'
import type { ChangeKind } from '../transactions/status-history.ts'
import type { Booked, Change } from './verify.sql.ts'

/** What a history is compared with: the transaction's entries, and the refs of reversals that reversed an exchange too. */
export type Books = { booked: Booked[]; undoing: bigint[] }

/**
 * What is wrong with a history: it has no gaps, begins with the creation, follows the lifecycle, and what happened in it is what was
 * booked, once each. Each sentence continues "Transaction 1 ".
 */
export function faultsOfHistory(history: Change[], books: Books): string[] {
  const [first] = history
  const faults: [boolean, string][] = [
    [history.some(({ number }, index) => number !== index + 1), 'has a gap in its history'],
    [first?.kind !== 'created' || first.status !== 'new', 'has a history that does not begin with its creation'],
  ]
  for (const [index, change] of history.entries()) {
    const { kind, status } = change
    const before = history[index - 1]?.status ?? status
    faults.push(
      [status !== before && !lifecycle[before].includes(status), `went from ${before} to ${status}`],
      [(onlyStatusAfter[kind] ?? status) !== status, `is said to be ${status} by ${nameOf(change)}`],
    )
  }
  return [...faults.filter(([isWrong]) => isWrong).map(([, fault]) => fault), ...unlikeTheBooks(history, books)]
}

const nameOf = ({ kind, subjectId }: Change): string => (subjectId === null ? kind : `${kind} ${subjectId}`)

/** How many statuses a history went through: a partner is notified of each. */
export const statusesIn = (history: Change[]): number =>
  history.filter(({ status }, index) => status !== history[index - 1]?.status).length

/** How many entries of a history partners are notified of although the status stays. */
export const reportedBesides = (history: Change[]): number =>
  history.filter(({ kind, status }, index) => status === history[index - 1]?.status && reported.has(kind)).length

const reported: ReadonlySet<ChangeKind> = new Set<ChangeKind>(['deposit_reversed', 'payout_unknown', 'payout_known'])

/** Kinds that lead to one status only. */
const onlyStatusAfter: Partial<Record<ChangeKind, Status>> = {
  created: 'new',
  opened: 'waiting_for_customer',
  completed: 'waiting_for_deposit',
  deadline_passed: 'expired',
  payout_address_given: 'exchanging',
  exchanged_again: 'exchanging',
  payout_prepared: 'sending',
}

/** The entry that is booked with each kind, for the same subject. */
const entryOf: Partial<Record<ChangeKind, string>> = {
  deposit_final: 'deposit',
  deposit_matched: 'suspense_matched',
  deposit_reversed: 'deposit_reversed',
  deposit_reinstated: 'deposit_reinstated',
  payout_prepared: 'payout_sent',
  payout_paid: 'payout_settled',
  payout_returned: 'payout_returned',
  payout_return_withdrawn: 'payout_return_withdrawn',
  payout_failed: 'payout_failed',
  refund_prepared: 'payout_sent',
  refund_paid: 'payout_settled',
  refund_returned: 'payout_returned',
  refund_return_withdrawn: 'payout_return_withdrawn',
  refund_failed: 'payout_failed',
  exchanged_again: 'exchange',
}

/** Entries that are booked along with others: their amounts are compared with what deposits were used for. */
const besides: ReadonlySet<string> = new Set([
  'exchange',
  'exchange_mirrored',
  'loss_recovered',
  'refund_cost',
  'refund_cost_mirrored',
  'write_off',
])

/** What makes a transaction exchange again and is no exchange: a payout is ordered once more, or continues. */
const orderedAgain: ReadonlySet<ChangeKind> = new Set<ChangeKind>([
  'payout_address_given',
  'payout_ordered_again',
  'resumed',
  'payout_approved',
])

const isSame = (one: Booked, other: Booked): boolean => one.kind === other.kind && one.ref === other.ref

function unlikeTheBooks(history: Change[], { booked, undoing }: Books): string[] {
  const due = history.flatMap(({ kind, subjectId }): Booked[] => {
    const entry = entryOf[kind]
    return entry === undefined ? [] : [{ kind: entry, ref: subjectId ?? '' }]
  })
  const missing = due.filter((one) => !booked.some((entry) => isSame(one, entry)))
  const extra = booked.filter((entry) => !besides.has(entry.kind) && !due.some((one) => isSame(one, entry)))
  const exchanges = booked.filter(({ kind }) => kind === 'exchange').length
  const exchangesDue = exchangesIn(history, new Set(undoing.map(String)))
  return [
    ...missing.map(({ kind, ref }) => `has no ${kind} ${ref} in the books`),
    ...extra.map(({ kind, ref }) => `has ${kind} ${ref} in the books and not in its history`),
    ...(exchanges === exchangesDue ? [] : [`was exchanged ${exchanges} times and not ${exchangesDue}`]),
  ]
}

/**
 * How often a history says that something was exchanged: where it became `exchanging`, unless that only ordered a payout again, and
 * where it was exchanged again, because a reversal had undone the exchange before. That is a change of the history now; in
 * histories from before, the reversal's is the only one.
 */
function exchangesIn(history: Change[], undoing: ReadonlySet<string>): number {
  return history.filter(({ kind, subjectId, status }, index) => {
    if (status !== 'exchanging') return false
    if (history[index - 1]?.status !== 'exchanging') return !orderedAgain.has(kind)
    if (kind === 'exchanged_again') return true
    const isFollowed = history[index + 1]?.kind === 'exchanged_again'
    return kind === 'deposit_reversed' && undoing.has(subjectId ?? '') && !isFollowed
  }).length
}

const ofRefunds: ReadonlySet<ChangeKind> = new Set<ChangeKind>([
  'refund_prepared',
  'refund_paid',
  'refund_returned',
  'refund_return_withdrawn',
  'refund_failed',
  'refund_needs_approval',
])

/**
 * The kinds of entries that still count, refunds left out: a payout that came back takes its sending and its evidence along, one
 * that never left its sending, a reversed exchange the exchange.
 */
export function countingKinds(booked: Booked[], history: Change[]): string[] {
  const refunds = new Set(history.flatMap(({ kind, subjectId }) => (ofRefunds.has(kind) ? [subjectId] : [])))
  const left = booked
    .filter(({ kind, ref }) => !ofPayouts.has(kind) || !refunds.has(ref))
    .map(({ kind }) => (kind === 'suspense_matched' ? 'deposit' : kind))
  for (const [kind, along] of takesAlong) {
    for (const _ of left.filter((one) => one === kind)) {
      for (const taken of along) {
        const at = left.indexOf(taken)
        if (at >= 0) left.splice(at, 1)
      }
    }
  }
  return left
}

const ofPayouts: ReadonlySet<string> = new Set([
  'payout_sent',
  'payout_settled',
  'payout_returned',
  'payout_return_withdrawn',
  'payout_failed',
])

const takesAlong: ReadonlyMap<string, readonly string[]> = new Map([
  // Before what came back takes its sending along.
  ['payout_return_withdrawn', ['payout_returned', 'payout_return_withdrawn']],
  ['payout_returned', ['payout_sent', 'payout_settled']],
  ['payout_failed', ['payout_sent']],
  ['exchange_mirrored', ['exchange']],
])
