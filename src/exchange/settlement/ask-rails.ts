import { setTimeout as wait } from 'node:timers/promises'

import type { Ctx } from '../context.ts'
import { instructionOf, referencesOf } from './instruction.ts'
import { receiveRailEvents, type ReportedEvent, reversing } from './rail-event.ts'
import type { RailEvent } from '../../rails/rail.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** The state of a payment, as far as its rails know. */
export type PaymentProgress =
  | 'none' //         nobody has tried, or what was tried came to nothing
  | 'begun' //        tried where the customer was sent last, and neither through nor refused
  | 'begun_before' // the same, where the customer was sent before another way to pay was chosen
  | 'silent' //       a rail does not answer
  | 'paid' //         money is there, or on its way for sure

/** Callbacks get lost: what the rails know of any payment is received as if they had called. Fails where one does not answer. */
export async function askRails(ctx: Ctx, transactionId: bigint): Promise<void> {
  await receive(ctx, await reportedByRails(ctx, transactionId))
}

/** How long somebody who looks at a page waits for a rail, in real milliseconds. */
const patienceMs = 3_000

/**
 * The state of a payment whose customer comes back from it, received as if the rails had called. An unclear answer is `begun`:
 * nobody is asked to pay again on a guess.
 */
export async function paymentAtRails(ctx: Ctx, { id }: Pick<Transaction, 'id'>): Promise<PaymentProgress> {
  const reported = await reportedInTime(ctx, id)
  if (reported === undefined) return 'silent'
  await receive(ctx, reported)
  const last = await instructionOf(ctx.db, id)
  return progressOf(reported, last?.reference)
}

/** What all events together say of a payment; `reference` is where the customer was sent last. */
export function progressOf(reported: readonly RailEvent[], reference: string | undefined): PaymentProgress {
  const reversed = new Set(reported.filter(({ kind }) => reversing.has(kind)).map(({ payment }) => payment))
  const counting = reported.filter(({ payment }) => !reversed.has(payment))
  if (counting.some(({ kind }) => kind === 'deposit_seen' || kind === 'deposit_final')) return 'paid'
  const latest = new Map(counting.map((event) => [event.payment, event]))
  const begun = [...latest.values()].filter(({ kind }) => kind === 'unknown')
  if (begun.length === 0) return 'none'
  return begun.every((event) => event.reference === reference) ? 'begun' : 'begun_before'
}

async function reportedInTime(ctx: Ctx, transactionId: bigint): Promise<ReportedEvent[] | undefined> {
  try {
    return await Promise.race([reportedByRails(ctx, transactionId), wait(patienceMs, undefined, { ref: false })])
  } catch (error) {
    ctx.log.warn({ err: error }, 'A rail could not be asked what a customer has paid.')
    return undefined
  }
}

async function reportedByRails(ctx: Ctx, transactionId: bigint): Promise<ReportedEvent[]> {
  const reported = await Promise.all(
    (await referencesOf(ctx.db, transactionId)).map(async ({ rail, reference }) => {
      const events = (await ctx.rails.deposit(rail)?.deposit.look(reference)) ?? []
      return events.map((event) => ({ ...event, rail }))
    }),
  )
  return reported.flat()
}

async function receive(ctx: Ctx, reported: ReportedEvent[]): Promise<void> {
  if (reported.length > 0) await ctx.db.atomic((db) => receiveRailEvents(ctx, db, reported))
}
