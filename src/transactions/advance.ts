import assert from 'node:assert/strict'

import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import type { EventType, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/record.ts'
import { endsWithoutMoney, lifecycle, type Status } from './lifecycle.ts'
import * as queries from './queries.ts'
import { anyRecordOf } from './record.ts'
import { type Move, personalPlace, type Transaction } from './transaction.ts'

/** What may change along with a move. */
export type Change = Partial<
  Pick<
    Transaction,
    | 'statusDetails'
    | 'expectedTo'
    | 'fromAmount'
    | 'toAmount'
    | 'country'
    | 'depositMethod'
    | 'errors'
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
    const moved = move(before, step, ctx.clock.now())
    latest.set(moved.id, moved)
    moves.push(moveRow(moved))
    if (moved.status !== before.status) events.push(statusEvent(ctx, moved))
  }
  if (latest.size === 0) return []

  queries.save(db, [...latest.values()].map(changedRow))
  queries.insertMoves(db, moves)
  recordEvents(ctx, db, events)
  return [...latest.values()]
}

/**
 * Writes down what changed without a move: no new status, no event. For what a customer completes at the checkout and for
 * what a rail says of a payment that did not come about.
 */
export function amend(ctx: Ctx, db: Atomic, transaction: Transaction, change: Change): Transaction {
  const amended = { ...transaction, ...change, updatedAt: ctx.clock.now() }
  queries.save(db, [changedRow(amended)])
  return amended
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
    events: before.events + (to === before.status ? 0 : 1),
    history: [...before.history, happened],
    updatedAt: at,
  }
}

function moveRow({ id, moves, history }: Transaction): queries.MoveRow {
  const last = history.at(-1)
  assert(last, 'a move has just been made')
  return { transactionId: id, number: moves, ...last }
}

function statusEvent(ctx: Ctx, transaction: Transaction): NewEvent {
  return {
    stream: transaction.publicId,
    sequence: transaction.events,
    partnerId: transaction.partnerId,
    type: typeOf(transaction),
    at: transaction.updatedAt,
    dataKey: transaction.dataKey,
    payload: anyRecordOf(ctx, transaction),
  }
}

/** Whoever listens to customers' transactions hears nothing of B2B's: those have one type, for the first status too. */
function typeOf({ kind, events }: Transaction): EventType {
  if (kind === 'b2b') return 'b2b.transaction.status_changed'
  return events === 1 ? 'transaction.created' : 'transaction.status_changed'
}

/** The events of transactions that have just been created. */
export const createdEvents = (ctx: Ctx, created: Transaction[]): NewEvent[] =>
  created.map((transaction) => statusEvent(ctx, transaction))

/** What of a transaction is written again when it changes. */
export function changedRow(transaction: Transaction): queries.Changed {
  const { dataKey, personal, publicId, errors, ...rest } = transaction
  return { ...rest, errors: JSON.stringify(errors), personal: dataKey.seal(personal, personalPlace(publicId)) }
}
