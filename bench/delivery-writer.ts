import { setTimeout as wait } from 'node:timers/promises'

import { readConfig } from '../src/app/config/config.ts'
import type { Ctx } from '../src/exchange/context.ts'
import { loneClient } from '../src/platform/db/lone-client.ts'
import { openPool } from '../src/platform/db/pool.ts'
import { recordEvents } from '../src/exchange/events/record.ts'
import { composeExchange } from '../src/app/compose.ts'
import { systemClock } from '../src/platform/lib/clock.ts'
import { randomId } from '../src/platform/lib/ids.ts'
import { silentLog } from '../src/platform/lib/log.ts'
import { createPartner } from '../src/exchange/partners/create.ts'
import { loadSecrets } from '../src/platform/privacy/master-key.ts'
import { changeEndpoint } from '../src/exchange/webhooks/manage-endpoints.ts'
import { addEndpoint } from '../src/exchange/webhooks/manage-endpoints.ts'
import { answerOrders } from './helper-process.ts'

/** A process that writes events as one that serves the API does: it leaves them to the workers, and rings for them. */
export type WriterOrder =
  | { kind: 'open'; url: string; ownerUrl: string; dataDir: string }
  /** Makes a partner with one endpoint for each URL. */
  | { kind: 'partners'; urls: string[] }
  | { kind: 'status'; index: number; status: 'active' | 'paused' }
  /** Writes so many events in all, each for the next of these partners, `together` in a block, at most so many a second. */
  | { kind: 'write'; partners: number[]; count: number; together: number; perSecond: number }
  /** Puts so many events into a partner's queue, every other one for another day. */
  | { kind: 'pile'; index: number; count: number }
  /** Takes all that waits in that queue out of it. */
  | { kind: 'unpile'; index: number }
  /** Counts events without a place in the feed, and deliveries still to be made. */
  | { kind: 'unplaced' }
  | { kind: 'queued' }

/** When each event was committed, by the wall clock in milliseconds. */
export type WriterDone = { at: [id: string, at: number][]; count: number }

let ctx: Ctx | undefined
let owner = ''
const made: { partnerId: bigint; endpointId: bigint }[] = []
const nothing: WriterDone = { at: [], count: 0 }
/** As long as a record is. */
const payload = { id: '', filling: Array.from({ length: 90 }, (_, index) => `field_${index}: ${index * 7_919}`) }

async function open({ url, ownerUrl, dataDir }: Extract<WriterOrder, { kind: 'open' }>): Promise<void> {
  const config = { ...readConfig({ DATABASE_URL: ownerUrl, DATA_DIR: dataDir }), roles: [] }
  const db = openPool({ urls: [url], size: 8 })
  owner = ownerUrl
  const secrets = await loadSecrets(config.masterKeyFile, false)
  const ground = { config, db, secrets, clock: systemClock(), log: silentLog, publicUrl: '', plugIns: [] }
  ctx = (await composeExchange(ground)).ctx
}

async function block(own: Ctx, partners: number[], from: number, together: number): Promise<[string, number][]> {
  const events = Array.from({ length: together }, (_, index) => {
    const { partnerId } = made[partners[(from + index) % partners.length] ?? 0] ?? { partnerId: 0n }
    return { stream: randomId(), sequence: 1, partnerId, type: 'transaction.created' as const, at: own.clock.now() }
  })
  await own.db.atomic(async (db) => {
    const keys = await own.keyring.makeMany(db, events.length)
    recordEvents(
      own,
      db,
      events.flatMap((event, index) => {
        const dataKey = keys[index]
        return dataKey ? [{ ...event, dataKey, payload: { ...payload, id: String(event.stream) } }] : []
      }),
    )
  })
  const at = performance.timeOrigin + performance.now()
  return events.map(({ stream }) => [`evt_${stream}000001`, at])
}

async function write(own: Ctx, { partners, count, together, perSecond }: Extract<WriterOrder, { kind: 'write' }>) {
  const at: [string, number][] = []
  const start = performance.now()
  const lanes = perSecond > 200 ? 4 : 1
  let begun = 0
  const lane = async () => {
    while (begun < count) {
      const from = begun
      begun += together
      const early = (from / perSecond) * 1_000 - (performance.now() - start)
      if (early > 0) await wait(early)
      at.push(...(await block(own, partners, from, together)))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { at, count: at.length }
}

const pileBlock = 5_000

/**
 * Real events, small ones, that share a key; half of them are put off. They are placed and queued here: the relay would take
 * minutes, and what it costs is another question.
 */
async function pile(own: Ctx, index: number, count: number): Promise<void> {
  const { partnerId, endpointId } = made[index] ?? { partnerId: 0n, endpointId: 0n }
  for (let done = 0; done < count; done += pileBlock) {
    const events = Array.from({ length: Math.min(pileBlock, count - done) }, () => {
      const stream = randomId()
      return { stream, sequence: 1, partnerId, type: 'transaction.created' as const, at: own.clock.now() }
    })
    await own.db.atomic(async (db) => {
      const dataKey = await own.keyring.make(db)
      recordEvents(
        { wakeRelay: () => undefined },
        db,
        events.map((event) => ({ ...event, dataKey, payload: { id: String(event.stream) } })),
      )
      db.send`
        with piled as (select id, stream, partner_id from events where xid = pg_current_xact_id() order by id),
        fed as (insert into event_feed (event_id, partner_id) select id, partner_id from piled)
        insert into webhook_queue (endpoint_id, stream, sequence, event_id, next_at)
        select ${endpointId}, stream, 1, id, now() + interval '1 day' * (id % 2) from piled`
    })
  }
  await own.db.sql`select pg_notify('cambio_bell', 'all')`
  await tidy()
}

async function unpile(own: Ctx, index: number): Promise<void> {
  await changeEndpoint(own, { id: made[index]?.endpointId ?? 0n }, { status: 'paused' }, 'bench')
  await own.db.sql`delete from webhook_queue where endpoint_id = ${made[index]?.endpointId ?? 0n}`
  await tidy()
}

/** What the database does by itself after so many changes, done at once: the question is what waiting costs, and not what piling did. */
async function tidy(): Promise<void> {
  const client = loneClient({ connectionString: owner })
  await client.connect()
  await client.query('vacuum (analyze) events, event_feed, webhook_queue')
  await client.end()
}

async function unplaced(own: Ctx): Promise<number> {
  const rows = await own.db.sql<{ count: bigint }>`
    select count(*) from events where not exists (select from event_feed where event_id = id)`
  return Number(rows[0]?.count ?? 0n)
}

async function queued(own: Ctx): Promise<number> {
  const rows = await own.db.sql<{ count: bigint }>`select count(*) from webhook_queue`
  return Number(rows[0]?.count ?? 0n)
}

answerOrders<WriterOrder, WriterDone>('delivery-writer.js', async (order) => {
  if (order.kind === 'open') await open(order)
  if (!ctx) throw new Error('It has not been opened.')
  if (order.kind === 'partners') {
    for (const url of order.urls) {
      const { partner } = await createPartner(ctx, { name: 'Bench' }, 'bench')
      const { endpoint } = await addEndpoint(ctx, { partnerId: partner.id, url }, 'bench')
      made.push({ partnerId: partner.id, endpointId: endpoint.id })
    }
    return { ...nothing, count: made.length }
  }
  if (order.kind === 'status') {
    await changeEndpoint(ctx, { id: made[order.index]?.endpointId ?? 0n }, { status: order.status }, 'bench')
  }
  if (order.kind === 'write') return write(ctx, order)
  if (order.kind === 'pile') await pile(ctx, order.index, order.count)
  if (order.kind === 'unpile') await unpile(ctx, order.index)
  if (order.kind === 'unplaced') return { ...nothing, count: await unplaced(ctx) }
  if (order.kind === 'queued') return { ...nothing, count: await queued(ctx) }
  return nothing
})
