import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Atomic } from '../platform/db/sql.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import * as queries from './queries.ts'
import type { CallbackRequest } from '../rails/rail.ts'
import type { World } from './world.ts'

/** The job that brings a callback to the merchant. Its key is the callback's id. */
export const callbackOwed = 'sandbox.callback'

/** A message of a sandbox rail, in the rail's own form: texts by name. */
export type Message = Record<string, string>

/** A callback to be delivered. One about a transfer is dropped with that transfer. */
export type QueuedCallback = { rail: string; message: Message; dueAt: Date; transferId?: bigint }

/** Queues callbacks; jobs deliver each from its real time on. */
export async function queueCallbacks(
  { queue }: Pick<World, 'queue'>,
  db: Atomic,
  owed: QueuedCallback[],
): Promise<void> {
  if (owed.length === 0) return
  const rows = await queries.insertCallbacks(
    db,
    owed.map(({ rail, message, dueAt, transferId = null }) => ({
      rail,
      body: JSON.stringify(message),
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

/** Signs a text for one use, so that one rail's message never passes for another's. Lower-case hex. */
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
 * Reads a rail's call: one message, or a list of them. Each is made of texts, `amount` among them in smallest units. Refuses a call
 * that the rail has not signed, and one with anything else in it.
 */
export function readMessages<Field extends string>(
  world: Pick<World, 'secrets'>,
  { rail, fields }: { rail: string; fields: readonly Field[] },
  { body, headers }: CallbackRequest,
): Record<Field | 'amount', string>[] {
  if (!isSigned(world, rail, body, headers['x-processor-signature'])) {
    throw new Refusal('SIGNATURE_INVALID', 'The signature does not match.')
  }
  const parsed = parseJson(body)
  const messages = (Array.isArray(parsed) ? parsed : [parsed]).map(textsOf)
  const isWhole = (message: Message | undefined): boolean =>
    message !== undefined && fields.every((field) => field in message) && /^\d{1,38}$/.test(message.amount ?? '')
  if (messages.length === 0 || !messages.every(isWhole)) {
    throw new Refusal('BAD_REQUEST', 'This is not a message about a payment.')
  }
  return messages as Record<Field | 'amount', string>[]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textsOf(message: unknown): Message | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  return Object.fromEntries(
    Object.entries(message).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[1].includes('\0'),
    ),
  )
}
