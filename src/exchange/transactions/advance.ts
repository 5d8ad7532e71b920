import assert from 'node:assert/strict'

import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { EventType, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/record.ts'
import { endsWithoutMoney, lifecycle, type Status } from './lifecycle.ts'
import * as queries from './transactions.sql.ts'
import { anyRecordOf } from './record.ts'
import { type Move, personalPlace, type Transaction } from './transaction.ts'

/** What may change along with a move. */
export type Change = Partial<
  Pick<
    Transaction,
    | 'statusDetails'
    | 'expectedFrom'
    | 'expectedTo'
    | 'initialExpectedFrom'
    | 'payoutAddressId'
    | 'fromAmount'
    | 'fromAmountInEur'
    | 'toAmount'
    | 'country'
    | 'depositMethod'
    | 'errors'
    | 'refunds'
    | 'outputHash'
    | 'partnerCustomerId'
    | 'customerId'
    | 'personal'
    | 'quote'
    | 'quoteNumber'
    | 'quoteExpiresAt'
    | 'expiresAt'
  >
>

/** One thing that happened to a transaction that this block has locked. The fact's name is unique for the transaction. */
export type Step = {
  transaction: Transaction
  fact: string
  to: Status
  reason?: string
  change?: Change
  /** Partners hear of it although neither its status nor an amount is another one (docs/decisions/0041). */
  isTold?: boolean
}

/**
 * Moves transactions along, and is the only code that writes their status. Status, history and the events for partners are
 * written here, the ledger entries and the next jobs by the caller in the same block: all of it commits together or not at
 * all. A fact that has moved its transaction before moves nothing. Steps of one transaction follow each other.
 *
 * Gives the transactions as they now are, one for each step that did happen.
 */
export async function advance(ctx: Ctx, db: Atomic, steps: Step[]): Promise<Transaction[]> {
  const latest = new Map<bigint, Transaction>()
  const moves: queries.MoveRow[] = []
  const events: NewEvent[] = []
  for (const step of steps) {
    const before = latest.get(step.transaction.id) ?? step.transaction
    if (before.history.some(({ fact }) => fact === step.fact)) continue
    const moved = move(before, step, nextMoment(ctx, before))
    const told = eventsOf(ctx, before, moved, step.isTold)
    latest.set(moved.id, { ...moved, events: before.events + told.length })
    moves.push(moveRow(moved))
    events.push(...told)
  }
  if (latest.size === 0) return []

  queries.save(db, [...latest.values()].map(changedRow))
  queries.insertMoves(db, moves)
  recordEvents(ctx, db, events)
  return [...latest.values()]
}

/**
 * Writes down what changed without a move: no new status. For what a customer completes at the checkout and for what a rail says
 * of a payment that did not come about. Partners hear of amounts and refunds that are others now.
 */
export function amend(ctx: Ctx, db: Atomic, transaction: Transaction, change: Change): Transaction {
  const changed = { ...transaction, ...change, updatedAt: nextMoment(ctx, transaction) }
  const events = eventsOf(ctx, transaction, changed)
  const amended = { ...changed, events: transaction.events + events.length }
  queries.save(db, [changedRow(amended)])
  recordEvents(ctx, db, events)
  return amended
}

/**
 * The name of a fact that usually happens once; where it has happened before, one of its own. What had ended, got money and lost it
 * again can end once more.
 */
export const onceMore = ({ history, moves }: Transaction, fact: string): string =>
  history.some((one) => one.fact === fact) ? `${fact}:${moves + 1}` : fact

/** Now, or when it was changed last, whichever is later: another process may be ahead by a moment, and a history goes one way. */
function nextMoment({ clock }: Pick<Ctx, 'clock'>, { updatedAt }: Transaction): Date {
  const now = clock.now()
  return now < updatedAt ? updatedAt : now
}

function move(before: Transaction, { fact, to, reason, change }: Step, at: Date): Transaction {
  assert(
    to === before.status || lifecycle[before.status].includes(to),
    `${fact} cannot make a ${before.status} transaction ${to}`,
  )
  const changed = { ...before, statusDetails: null, ...change }
  assert(!endsWithoutMoney.has(to) || changed.fromAmount === 0n, `a transaction with money in it cannot be ${to}`)

  const happened: Move = { fact, status: to, reason: reason ?? null, at }
  return {
    ...changed,
    status: to,
    moves: before.moves + 1,
    history: [...before.history, happened],
    updatedAt: at,
  }
}

function moveRow({ id, moves, history }: Transaction): queries.MoveRow {
  const last = history.at(-1)
  assert(last, 'a move has just been made')
  return { transactionId: id, number: moves, ...last }
}

/**
 * What partners are told of a change: a new status; else, amounts that are others now, or what else has become of the money
 * (`isTold`); and refunds that stand elsewhere. Of B2B's the status alone has a word.
 */
function eventsOf(ctx: Ctx, before: Transaction, after: Transaction, isTold = false): NewEvent[] {
  const types: EventType[] = []
  const isB2b = after.kind === 'b2b'
  const isMoved = after.status !== before.status
  if (isB2b && (isMoved || isTold)) types.push('b2b.transaction.status_changed')
  else if (isMoved) types.push('transaction.status_changed')
  else if (!isB2b && (isTold || amountsOf(after) !== amountsOf(before))) types.push('transaction.amounts_changed')
  if (!isB2b && refundsOf(after) !== refundsOf(before)) types.push('transaction.refund_changed')
  return types.map((type, index) => eventOf(ctx, { ...after, events: before.events + index + 1 }, type))
}

const amountsOf = ({ fromAmount, expectedFrom, expectedTo, toAmount }: Transaction): string =>
  [fromAmount, expectedFrom, expectedTo, toAmount].join()

const refundsOf = ({ refunds }: Transaction): string =>
  refunds.map(({ publicId, state, plan }) => `${publicId} ${state} ${plan === 'unknown'}`).join()

const eventOf = (ctx: Ctx, transaction: Transaction, type: EventType): NewEvent => ({
  stream: transaction.publicId,
  sequence: transaction.events,
  partnerId: transaction.partnerId,
  type,
  at: transaction.updatedAt,
  dataKey: transaction.dataKey,
  payload: transaction.isErased ? { id: String(transaction.publicId) } : anyRecordOf(ctx, transaction),
})

/** The events of transactions that have just been created; of B2B's there is one type, for the first status too. */
export const createdEvents = (ctx: Ctx, created: Transaction[]): NewEvent[] =>
  created.map((transaction) =>
    eventOf(ctx, transaction, transaction.kind === 'b2b' ? 'b2b.transaction.status_changed' : 'transaction.created'),
  )

/** What of a transaction is written again when it changes. */
export function changedRow(transaction: Transaction): queries.Changed {
  const { dataKey, personal, publicId, errors, refunds: _, ...rest } = transaction
  return { ...rest, errors: JSON.stringify(errors), personal: dataKey.seal(personal, personalPlace(publicId)) }
}
