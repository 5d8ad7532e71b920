import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Atomic } from '../platform/db/sql.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import * as queries from './queries.ts'
import type { World } from './world.ts'

/** The job that brings a callback to the merchant. Its key is the callback's id. */
export const callbackOwed = 'sandbox.callback'

/** What a rail of the sandbox says, in its own words: texts by their names. */
export type Words = Record<string, string>

/** A callback to be brought. One about a transfer is no longer owed when that transfer is dropped. */
export type Owed = { rail: string; words: Words; dueAt: Date; transferId?: bigint }

/** Owes the merchant callbacks, each from its real time on, and brings them by jobs. */
export async function oweCallbacks({ queue }: Pick<World, 'queue'>, db: Atomic, owed: Owed[]): Promise<void> {
  if (owed.length === 0) return
  const rows = await queries.insertCallbacks(
    db,
    owed.map(({ rail, words, dueAt, transferId = null }) => ({
      rail,
      body: JSON.stringify(words),
      dueAt,
      transferId,
    })),
  )
  queue.enqueue(
    db,
    rows.map(({ id, next_at }) => ({ kind: callbackOwed, key: String(id), runAt: next_at, timebase: 'real' })),
  )
}

/** A callback on its way: the rail that tells it, its text and what proves its sender. */
export type Callback = { rail: string; body: string; headers: Record<string, string> }

/** Takes owed callbacks, signed, for delivery in the same block. What is not owed any more is left out. */
export async function takeCallbacks(world: Pick<World, 'secrets'>, db: Atomic, ids: bigint[]): Promise<Callback[]> {
  const owed = await queries.takeCallbacks(db, ids)
  return owed
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ rail, body }) => ({ rail, body, headers: { 'x-processor-signature': sign(world, rail, body) } }))
}

/** Signs a text for one use of it: what one rail has said is not taken for another's word. Lower-case hex. */
export const sign = ({ secrets }: Pick<World, 'secrets'>, use: string, text: string): string =>
  createHmac('sha256', secrets.processor).update(`${use}\n${text}`).digest('hex')

export function isSigned(
  world: Pick<World, 'secrets'>,
  use: string,
  text: string,
  signature: string | undefined,
): boolean {
  const right = Buffer.from(sign(world, use, text))
  const given = Buffer.from(signature ?? '')
  return right.length === given.length && timingSafeEqual(right, given)
}

/**
 * Reads a rail's callback: the texts that it must have, `amount` among them in smallest units. Refuses one that the rail has
 * not signed, and one that says something else.
 */
export function readWords<Name extends string>(
  world: Pick<World, 'secrets'>,
  { rail, names }: { rail: string; names: readonly Name[] },
  body: string,
  headers: Record<string, string | undefined>,
): Record<Name | 'amount', string> {
  if (!isSigned(world, rail, body, headers['x-processor-signature'])) {
    throw new Refusal('SIGNATURE_INVALID', 'The signature does not fit.')
  }
  const said = readTexts(body)
  const isWhole = said && names.every((name) => name in said) && /^\d{1,38}$/.test(said.amount ?? '')
  if (!isWhole) throw new Refusal('BAD_REQUEST', 'This is not what the rail says of a payment.')
  return said as Record<Name | 'amount', string>
}

function readTexts(body: string): Words | undefined {
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null) return undefined
  return Object.fromEntries(
    Object.entries(said).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[1].includes('\0'),
    ),
  )
}
