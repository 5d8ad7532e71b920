import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type pg from 'pg'

import { testDatabase } from '../../../../test/support/database.ts'
import { asOwner } from '../../../../test/support/server.ts'
import type { Atomic } from '../../../platform/db/sql.ts'
import type { Delivery } from '../delivery.ts'
import * as leases from '../leases/queries.ts'
import * as replays from '../replays/queries.ts'
import { wakeWaiting } from '../waking/queries.ts'
import * as queue from './queries.ts'

/** A node of a plan, as `explain (format json)` shows it. */
type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  /** What a bitmap of an index was looked up by. */
  'Recheck Cond'?: string
  Plans?: Node[]
}

/** The text of the one statement that `ask` sends. */
function textOf(ask: (db: Atomic) => unknown): string {
  let text = ''
  const keep = (strings: TemplateStringsArray) => {
    text = strings.reduce((whole, part, index) => `${whole}$${index}${part}`)
  }
  ask({
    sql: (strings) => {
      keep(strings)
      return Promise.resolve([])
    },
    send: keep,
    afterCommit: () => undefined,
  })
  return text
}

const now = new Date(0)
const event = {
  stream: 1n,
  sequence: 1,
  at: now,
  type: 'transaction.created' as const,
  dataKeyId: 1n,
  wrappedKey: null,
  body: Buffer.of(),
}
const delivery: Delivery = { endpointId: 1n, eventRow: 1n, event, attempts: 0, wakes: 0, earlier: 0, fence: 1n }
const row: queue.SettledRow = {
  delivery,
  at: now,
  url: '',
  sentAt: now,
  tookMs: 1,
  outcome: 'delivered',
  status: 200,
  response: null,
  nextAt: null,
}
const room: queue.Room = { each: 1, all: 1, named: [] }
const times = { now, realNow: now, leaseUntil: now }
const sequenced = { id: 1n, stream: 1n, sequence: 1, partner_id: 1n, type: event.type }

/** Every statement that meets the queue while events are delivered, and when they are to be delivered again. */
const ofDeliveries: Record<string, (db: Atomic) => unknown> = {
  queue: (db) => queue.queue(db, [sequenced], { ...times, room }).catch(() => undefined),
  claim: (db) => queue.claim(db, { ...times, room }).catch(() => undefined),
  lockStreams: (db) => queue.lockStreams(db, [row]),
  wakeWaiting: (db) => wakeWaiting(db, [1n], now).catch(() => undefined),
  settle: (db) => queue.settle(db, [row], { ...times, stay: [] }).catch(() => undefined),
  renew: (db) => leases.renew(db, [delivery], now).catch(() => undefined),
  release: (db) => leases.release(db, [delivery]).catch(() => undefined),
}
const ofReplays: Record<string, (db: Atomic) => unknown> = {
  lockStreams: (db) => replays.lockStreams(db, 1n, [1n]),
  queueAgain: (db) => replays.queueAgain(db, 1n, [1n], times).catch(() => undefined),
}
const blocks = [
  { begins: queue.asRecords, statements: ofDeliveries },
  { begins: replays.byIndex, statements: ofReplays },
]

const waiting = (from: number, count: number): string => `
  insert into webhook_queue (endpoint_id, stream, sequence, event_id, next_at)
  select 1, number, 1, number, now() from generate_series(${from}, ${from + count}) as number`

/** When the planner last looked at the tables, and what has happened since. */
const beliefs: Record<string, string[]> = {
  'it never looked': [waiting(1, 5_000)],
  'there was nothing when it looked': ['vacuum analyze webhook_queue', 'vacuum analyze events', waiting(1, 5_000)],
  'all had just been delivered when it looked': [
    waiting(1, 5_000),
    'delete from webhook_queue',
    'analyze webhook_queue',
    waiting(10_000, 5_000),
  ],
  'all but a few had been delivered when it looked': [
    waiting(1, 5_000),
    'analyze webhook_queue',
    'delete from webhook_queue where stream > 5',
    'vacuum analyze webhook_queue',
    waiting(10_000, 5_000),
  ],
  'all was waiting when it looked': [waiting(1, 5_000), 'vacuum analyze webhook_queue'],
}

/** The plan that every execution of a prepared statement shares. */
async function planOf(client: pg.Client, text: string): Promise<Node> {
  await client.query(`prepare looked as ${text}`)
  const places = new Set(text.match(/\$\d+/g)).size
  const values = Array.from({ length: places }, () => 'null').join()
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (format json) execute looked(${values})`,
  )
  await client.query('deallocate looked')
  const [plan] = rows
  assert(plan)
  return plan['QUERY PLAN'][0].Plan
}

const nodesIn = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesIn)]

function assertLookedUp(name: string, node: Node): void {
  if (!['webhook_queue', 'events'].includes(node['Relation Name'] ?? '') || !node['Node Type'].includes('Scan')) return
  assert.match(
    node['Index Cond'] ?? node['Recheck Cond'] ?? '',
    /stream\)? = |stream, sequence\) >= |next_at [<>]|[( ]id = /,
    `${name}: ${JSON.stringify(node)}`,
  )
}

describe('what waits in the queue is looked up and never read as a whole', () => {
  for (const [when, history] of Object.entries(beliefs)) {
    it(`when ${when}, as far as the planner knows`, async () => {
      const database = await testDatabase()
      await asOwner(database.ownerUrl, async (client) => {
        for (const step of history) await client.query(step)
        await client.query(`set plan_cache_mode = 'force_generic_plan'`)
        for (const block of blocks) {
          await client.query('begin')
          await client.query(textOf(block.begins))
          for (const [name, ask] of Object.entries(block.statements)) {
            for (const node of nodesIn(await planOf(client, textOf(ask)))) assertLookedUp(name, node)
          }
          await client.query('rollback')
        }
      })
      await database.drop()
    })
  }
})
