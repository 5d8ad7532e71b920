import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Ctx } from '../../src/exchange/context.ts'
import type { EventType } from '../../src/exchange/events/event.ts'
import { recordEvents } from '../../src/exchange/events/record.ts'
import { openRelay, type Relay } from '../../src/exchange/events/relay.ts'
import { openQueue } from '../../src/platform/jobs/queue.ts'
import { randomId } from '../../src/platform/lib/ids.ts'
import type { Log } from '../../src/platform/lib/log.ts'
import { createPartner, type NewPartner } from '../../src/exchange/partners/create.ts'
import type { Partner } from '../../src/exchange/partners/partner.ts'
import { dropQueue, endpointEnded } from '../../src/exchange/webhooks/drop-queue.ts'
import { queueReplays, replayDue } from '../../src/exchange/webhooks/replay.ts'
import { openSender, type Sender, type SenderOptions } from '../../src/exchange/webhooks/sender.ts'
import { type Settings, testContext } from './api.ts'
import { testDatabase } from './database.ts'

type Test = { after: (then: () => Promise<void>) => void }

/** What tells partners of events, on its own database: a relay, a sender, a queue and one partner. */
export type Telling = {
  ctx: Ctx
  relay: Relay
  sender: Sender
  partner: NewPartner
  /** What was logged as a warning or worse. */
  complaints: string[]
  /** A second process on the same database, at rest. */
  another(options?: SenderOptions): Promise<{ ctx: Ctx; relay: Relay; sender: Sender }>
  /** Moves business time. */
  advance(ms: number): void
  /** Records one more event of each stream, all in one atomic block. */
  tell(...streams: Stream[]): Promise<void>
}

/** One more partner with the default settings. */
export const makePartner = async (ctx: Ctx): Promise<Partner> =>
  (await createPartner(ctx, { name: 'Another' }, 'test')).partner

/**
 * When a failed delivery is made again first, in milliseconds of business time: not while a test looks, however busy the machine is,
 * but when it moves time.
 */
export const firstRetryMs = 600_000
const schedule = { WEBHOOK_RETRY_SECONDS: `${firstRetryMs / 1_000},600,1800,7200,18000,36000,50400,72000,86400` }

/** Something that events are about. */
export type Stream = { id: bigint; events: number; type: EventType }

/** A stream that nothing has been told of. */
export const newStream = (type: EventType = 'transaction.status_changed'): Stream => ({
  id: randomId(),
  events: 0,
  type,
})

/** Makes it all, started; ends it with the test. */
export async function startTelling(t: Test, given: Settings = {}, options: SenderOptions = {}): Promise<Telling> {
  const settings = { ...schedule, ...given }
  const database = await testDatabase()
  const complaints: string[] = []
  const houses: Awaited<ReturnType<typeof makeHouse>>[] = []
  t.after(async () => {
    for (const { stop } of houses) await stop()
    await database.drop()
  })
  const first = await makeHouse(await testContext(database, settings), complaints, options)
  houses.push(first)
  const { ctx, relay, sender, queue } = first
  const partner = await createPartner(ctx, { name: 'Told' }, 'test')
  queue.start()
  relay.start()
  sender.start()

  return {
    ctx,
    relay,
    sender,
    partner,
    complaints,
    another: async (others = options) => {
      const house = await makeHouse(await testContext(database, settings), complaints, others)
      houses.push(house)
      return house
    },
    advance: (ms) => {
      ctx.clock.learnOffset(ctx.clock.offsetMs() + ms)
      sender.wake()
      ctx.queue.wake()
    },
    tell: (...streams) => tell(ctx, partner.partner.id, streams),
  }
}

async function makeHouse(base: Ctx, complaints: string[], options: SenderOptions) {
  const say = (facts: object, message: string) => {
    const { err } = facts as { err?: unknown }
    complaints.push(err instanceof Error ? `${message} ${err.message}` : message)
  }
  const log: Log = { debug() {}, info() {}, warn: say, error: say }
  const handlers: Parameters<typeof openQueue>[0]['handlers'] = {}
  const { db, clock } = base
  const queue = openQueue({ db, clock, log, handlers, leaseMs: 10_000, pollMs: 1_000 })
  const ctx: Ctx = { ...base, log, queue, wakeRelay: () => relay.wake() }
  handlers[endpointEnded] = dropQueue(ctx)
  handlers[replayDue] = queueReplays(ctx)
  const sender = openSender(ctx, options)
  const relay = openRelay(ctx, { onSequenced: sender.onSequenced })
  const stop = async () => {
    await relay.stop()
    await queue.stop()
    await sender.stop()
    await db.close()
  }
  return { ctx, relay, sender, queue, stop }
}

async function tell(ctx: Ctx, partnerId: bigint, streams: Stream[]): Promise<void> {
  await ctx.db.atomic(async (db) => {
    const dataKey = await ctx.keyring.make(db)
    recordEvents(
      ctx,
      db,
      streams.map((stream) => ({
        stream: stream.id,
        sequence: (stream.events += 1),
        partnerId,
        type: stream.type,
        at: ctx.clock.now(),
        dataKey,
        payload: { id: String(stream.id), number: stream.events },
      })),
    )
  })
}

/** A request that a receiver got. */
export type Received = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  event: { id: string; sequence: number }
}

/** A partner's program that takes webhooks. */
export type Receiver = {
  url: string
  port: number
  all: Received[]
  /** What it answers from now on; 204 if nothing else was said. */
  answer: (request: IncomingMessage, response: ServerResponse, received: Received) => void
  /** Resolves when it has got so many requests in all. */
  got(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts a receiver on loopback; ends it with the test. */
export async function startReceiver(t: Test): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const event = JSON.parse(body) as Received['event']
      const received = { path: request.url ?? '', headers: request.headers, body, event }
      receiver.all.push(received)
      receiver.answer(request, response, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    all: [],
    answer: (_request, response) => response.writeHead(204).end(),
    got: (count) => until(() => receiver.all.length >= count, `the ${count}th request`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  t.after(receiver.close)
  return receiver
}

/**
 * Resolves when `check` is true. Looks again every few milliseconds at first, and less often the longer it takes: what asks
 * without a pause keeps the processor from what is waited for. Fails after five minutes, which only a machine with far too
 * much to do needs.
 */
export async function until(check: () => boolean | Promise<boolean>, what = 'what was awaited'): Promise<void> {
  const begun = performance.now()
  while (!(await check())) {
    const waitedMs = performance.now() - begun
    if (waitedMs > 300_000) throw new Error(`Waited five minutes for ${what}, in vain.`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(waitedMs / 10, 5), 50)))
  }
}
