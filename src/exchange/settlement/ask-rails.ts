import { setTimeout as wait } from 'node:timers/promises'

import type { Ctx } from '../context.ts'
import { instructionOf, referencesOf } from './deposit.ts'
import { receiveRailEvents } from './rail-event.ts'
import type { RailEvent } from '../../rails/rail.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** How a payment stands, as far as its rails tell. */
export type PaymentProgress =
  | 'none' //         nobody has tried, or what was tried came to nothing
  | 'begun' //        tried where the customer was sent last, and neither through nor refused
  | 'begun_before' // the same, where the customer was sent before another way to pay was chosen
  | 'silent' //       a rail does not answer
  | 'paid' //         money is there, or on its way for sure

/** A fact, and the rail that tells it. */
type Told = RailEvent & { rail: string }

/** Callbacks get lost: what the rails know of any payment is taken down as if they had called. Fails where one does not answer. */
export async function askRails(ctx: Ctx, transactionId: bigint): Promise<void> {
  await takeDown(ctx, await toldByRails(ctx, transactionId))
}

/** How long somebody who looks at a page waits for a rail, in real milliseconds. */
const patienceMs = 3_000

/**
 * How the payment of a transaction stands that its customer comes back from, taken down as if the rails had called. A word that is
 * not plain is `begun`: nobody is asked to pay again on a guess.
 */
export async function paymentAtRails(ctx: Ctx, { id }: Pick<Transaction, 'id'>): Promise<PaymentProgress> {
  const told = await toldInTime(ctx, id)
  if (told === undefined) return 'silent'
  await takeDown(ctx, told)
  const last = await instructionOf(ctx.db, id)
  return wordOf(told, last?.reference)
}

/** What all facts together say of a payment; `reference` is where the customer was sent last. */
export function wordOf(told: readonly RailEvent[], reference: string | undefined): PaymentProgress {
  const takenBack = new Set(told.filter(({ kind }) => kind === 'deposit_reversed').map(({ payment }) => payment))
  const standing = told.filter(({ payment }) => !takenBack.has(payment))
  if (standing.some(({ kind }) => kind === 'deposit_seen' || kind === 'deposit_final')) return 'paid'
  const latest = new Map(standing.map((fact) => [fact.payment, fact]))
  const begun = [...latest.values()].filter(({ kind }) => kind === 'unknown')
  if (begun.length === 0) return 'none'
  return begun.every((fact) => fact.reference === reference) ? 'begun' : 'begun_before'
}

async function toldInTime(ctx: Ctx, transactionId: bigint): Promise<Told[] | undefined> {
  try {
    return await Promise.race([toldByRails(ctx, transactionId), wait(patienceMs, undefined, { ref: false })])
  } catch (error) {
    ctx.log.warn({ err: error }, 'A rail could not be asked what a customer has paid.')
    return undefined
  }
}

async function toldByRails(ctx: Ctx, transactionId: bigint): Promise<Told[]> {
  const told = await Promise.all(
    (await referencesOf(ctx.db, transactionId)).map(async ({ rail, reference }) => {
      const facts = (await ctx.rails.deposit(rail)?.deposit.look(reference)) ?? []
      return facts.map((fact) => ({ ...fact, rail }))
    }),
  )
  return told.flat()
}

async function takeDown(ctx: Ctx, told: Told[]): Promise<void> {
  if (told.length > 0) await ctx.db.atomic((db) => receiveRailEvents(ctx, db, told))
}
