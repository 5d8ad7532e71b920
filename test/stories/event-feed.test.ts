import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it, mock } from 'node:test'

import { serviceUrlOf } from '../../src/app/database.ts'
import { openNotifier } from '../../src/platform/db/notifier.ts'
import { recordEvents } from '../../src/exchange/events/record.ts'
import { randomId } from '../../src/platform/lib/ids.ts'
import { createKey, revokeKey } from '../../src/exchange/partners/keys.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create, lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import type { Writing, Written } from '../support/write-events.ts'
import { promised } from '../support/promised.ts'

type Page = { data: { id: string; type: string; sequence: number }[]; next_after: string | null; has_more: boolean }

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const page = async (query = ''): Promise<Page> => {
  const { status, body } = await exchange.api<Page>(`/v1/events${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** The last event that there is, once everything that was committed has its place. */
async function end(): Promise<string> {
  const unplaced = 'select from events where not exists (select from event_feed where event_id = id)'
  await until(async () => (await lookup(exchange, unplaced)).length === 0, 'every event in the feed')
  return (await page('?after=latest')).next_after ?? ''
}

/** Connections of the service that do something, or hold a block open. */
const busy = () =>
  lookup(
    exchange,
    `select query from pg_stat_activity
     where datname = current_database() and usename <> current_user and state <> 'idle' and query not like '%service_state%'`,
  )

/** Resolves when the next reader has looked, found nothing, and waits. It counts as a listener before it has looked. */
function nextReader(): Promise<void> {
  const { feedListeners } = exchange.service.composition
  const { listen } = feedListeners
  return new Promise((resolve) => {
    mock.method(
      feedListeners,
      'listen',
      (partnerId: bigint) => {
        const listener = listen(partnerId)
        const next = (ms: number) => {
          resolve()
          return listener.next(ms)
        }
        return { ...listener, next }
      },
      { times: 1 },
    )
  })
}

const idsIn = ({ data }: Page): string[] => data.map(({ id }) => id)

/** Writes an event and its place in the feed as another process would, and tells nobody. */
async function placed(stream: bigint, partnerId: bigint): Promise<void> {
  const { ctx } = exchange.service.composition
  await ctx.db.atomic(async (db) => {
    const event = { stream, sequence: 1, partnerId, type: 'transaction.created' as const, at: ctx.clock.now() }
    const dataKey = await ctx.keyring.make(db)
    recordEvents({ wakeRelay: () => undefined }, db, [{ ...event, dataKey, payload: { id: String(stream) } }])
  })
  await ctx.db.sql`
    insert into event_feed (event_id, partner_id) select id, partner_id from events where stream = ${stream}`
}

describe('GET /v1/events', () => {
  it('shows each event once, in its order, to readers who page while several processes write and roll back', async () => {
    const { config, ctx } = exchange.service.composition
    const url = serviceUrlOf(exchange.ownerUrl, ctx.secrets)
    const from = await end()
    const done: Written = {}
    const writers = [true, false].map((relays) => {
      const order: Writing = {
        url,
        masterKeyFile: config.masterKeyFile,
        partnerId: exchange.sandbox.partner_id,
        streams: Array.from({ length: 6 }, () => String(randomId())),
        rounds: 25,
        relays,
      }
      return writing(order).then((written) => Object.assign(done, written))
    })
    let isOver = false
    const readers = [3, 7, 100].map((limit) => readAll(from, limit, () => isOver))
    await Promise.all(writers)
    const last = await end()
    isOver = true

    for (const seen of await Promise.all(readers.map((reader) => reader.then((read) => read(last))))) {
      assert.equal(new Set(seen).size, seen.length, 'nothing twice')
      for (const [stream, events] of Object.entries(done)) {
        const own = seen.filter((id) => id.startsWith(`evt_${stream}`))
        const wanted = Array.from(
          { length: events },
          (_, index) => `evt_${stream}${String(index + 1).padStart(6, '0')}`,
        )
        assert.deepEqual(own, wanted, 'each of a stream’s events, in their order')
      }
    }
    assert.ok(Object.values(done).some((events) => events > 20))
  })

  it('waits for what comes, and answers as soon as it is there', async () => {
    const from = await end()
    const started = performance.now()
    const waiting = page(`?after=${from}&wait=30`)
    await until(
      () => exchange.service.composition.feedListeners.countOf(BigInt(exchange.sandbox.partner_id)) === 1,
      'a reader',
    )
    await until(async () => (await busy()).length === 0, 'a reader that holds no connection')
    const { id } = await create(exchange)
    const { data } = await waiting
    assert.deepEqual([data[0]?.type, data[0]?.id.startsWith(`evt_${id}`)], ['transaction.created', true])
    assert.ok(performance.now() - started < promised(10_000))
  })

  it('waits past events of other types, and no longer than it was asked to', async () => {
    await until(async () => {
      const from = await end()
      const waiting = page(`?after=${from}&wait=1&types=endpoint.test`)
      const { id } = await create(exchange)
      const { data, next_after: next, has_more: more } = await waiting
      assert.deepEqual([data, more], [[], false])
      return next?.startsWith(`evt_${id}`) === true
    }, 'an answer that leads past what was left out')
    const none = await page(`?after=${await end()}&wait=1`)
    assert.deepEqual([none.data, none.has_more], [[], false])
  })

  it('is woken by what another process placed', async () => {
    const { ctx, relay } = exchange.service.composition
    const partnerId = BigInt(exchange.sandbox.partner_id)
    const headers = { 'x-api-key': exchange.sandbox.secret_key }
    await relay.stop()
    try {
      // From here on nothing is placed but by this test.
      const from = await end()
      // The document has no such payload, so the answers are read without its check.
      const reader = nextReader()
      const waiting = fetch(`${exchange.url}/v1/events?after=${from}&wait=30`, { headers })
      await reader
      const stream = randomId()
      await placed(stream, partnerId)
      // It is there for whoever looks, but nobody has said so: a reader who looked by himself would have it by now.
      const there = await fetch(`${exchange.url}/v1/events?after=${from}`, { headers })
      assert.deepEqual(idsIn((await there.json()) as Page), [`evt_${stream}000001`])
      assert.equal(exchange.service.composition.feedListeners.countOf(partnerId), 1, 'the reader waits still')
      const notifier = openNotifier(ctx.db, ctx.log)
      notifier.notify(`feed:${partnerId}`)
      await notifier.close()
      assert.deepEqual(idsIn((await (await waiting).json()) as Page), [`evt_${stream}000001`])
    } finally {
      relay.start()
    }
  })

  it('401: a key that was revoked while its request waited is told nothing', async () => {
    const { ctx } = exchange.service.composition
    const partnerId = BigInt(exchange.sandbox.partner_id)
    const { key, text } = await createKey(ctx, { partnerId, kind: 'secret' }, 'test')
    const headers = { 'x-api-key': text }
    const from = await end()
    const waiting = fetch(`${exchange.url}/v1/events?after=${from}&wait=30`, { headers })
    await until(() => exchange.service.composition.feedListeners.countOf(partnerId) === 1, 'a reader')
    await revokeKey(ctx, key.id, 'test')
    await until(async () => (await fetch(`${exchange.url}/v1/events`, { headers })).status === 401, 'its end')
    await create(exchange)
    const answer = await waiting
    assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [401, 'INVALID_TOKEN'])
  })

  it('400: an event of nobody, an unknown type, and a number that is none', async () => {
    for (const query of ['after=evt_1', 'after=x', 'types=everything', 'wait=31', 'wait=-1', 'wait=1.5', 'limit=0']) {
      const { status, body } = await exchange.api(`/v1/events?${query}`)
      assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], query)
    }
    assert.equal((await page('?limit=1000&after=&types=&wait=')).data.length <= 100, true)
  })

  it('lets a waiting request go when the service ends', async () => {
    const other = await startExchange({ SHUTDOWN_GRACE: 'PT30S' })
    const headers = { 'x-api-key': other.sandbox.secret_key }
    const waiting = fetch(`${other.url}/v1/events?after=latest&wait=30`, { headers })
    await until(
      () => other.service.composition.feedListeners.countOf(BigInt(other.sandbox.partner_id)) === 1,
      'a reader',
    )
    const started = performance.now()
    const ended = other.stop()
    const { data } = (await (await waiting).json()) as Page
    assert.deepEqual(data, [])
    await ended
    assert.ok(performance.now() - started < promised(10_000), 'nobody waited for it')
  })
})

/** Has a process of its own write. */
function writing(order: Writing): Promise<Written> {
  const child = fork(join(import.meta.dirname, '../support/write-events.js'), { stdio: 'inherit' })
  child.send(order)
  return new Promise((resolve, reject) => {
    child.once('message', (written) => resolve(written as Written))
    child.once('exit', (code) => reject(new Error(`A writer ended (${code}).`)))
  })
}

/** Reads on and on from an event; what it gives reads to the last one, and tells all that was seen. */
async function readAll(from: string, limit: number, isOver: () => boolean) {
  const seen: string[] = []
  let next = from
  const step = async () => {
    const text = await fetch(`${exchange.url}/v1/events?after=${next}&limit=${limit}&wait=1`, {
      headers: { 'x-api-key': exchange.sandbox.secret_key },
    })
    const { data, next_after: after } = (await text.json()) as Page
    seen.push(...data.map(({ id }) => id))
    next = after ?? next
  }
  while (!isOver()) await step()
  return async (last: string): Promise<string[]> => {
    while (next !== last) await step()
    return seen
  }
}
