import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type pg from 'pg'

import { testDatabase } from '../../../test/support/database.ts'
import { asOwner } from '../../../test/support/server.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import { lockEvents } from './replay.ts'
import {
  claim,
  type Delivery,
  enqueue,
  lockStreams,
  type SavedRow,
  removeRows,
  saveRows,
  setLeases,
  wakeWaiting,
} from './queue.ts'

/** A node of a plan, as `explain (format json)` shows it. */
type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  /** What a bitmap of an index was looked up by. */
  'Recheck Cond'?: string
  Plans?: Node[]
}

/** The text of the statements that `work` sends. */
function textsOf(work: (db: Atomic) => unknown): string[] {
  const texts: string[] = []
  const keep = (strings: TemplateStringsArray) => {
    texts.push(strings.reduce((whole, part, index) => `${whole}$${index}${part}`))
  }
  work({
    sql: (strings) => {
      keep(strings)
      return Promise.resolve([])
    },
    send: keep,
    afterCommit: () => undefined,
  })
  return texts
}

const now = new Date(0)
const delivery: Delivery = {
  endpointId: 1n,
  stream: 1n,
  sequence: 1,
  eventRow: 1n,
  attempts: 0,
  wakes: 0,
  earlier: 0,
  fence: 1n,
}
const row: SavedRow = { ...delivery, lastAt: null, nextAt: null, leaseUntil: null, again: false }
const options = { now, realNow: now, leaseUntil: now, capacity: { each: 1, total: 1, overrides: [] } }
const event = { id: 1n, stream: 1n, sequence: 1, partner_id: 1n, type: 'transaction.created' as const }

/** Every statement that delivering and replaying send to the queue. */
const statements: Record<string, (db: Atomic) => unknown> = {
  enqueue: (db) => enqueue(db, [event], options),
  claim: (db) => claim(db, options),
  lockStreams: (db) => lockStreams(db, [row], now),
  wakeWaiting: (db) => wakeWaiting(db, [1n], now),
  saveRows: (db) => saveRows(db, [row]),
  removeRows: (db) => removeRows(db, [row]),
  lockEvents: (db) => lockEvents({ clock: systemClock() }, db, 1n, [1n]),
  setLeases: (db) => setLeases(db, [delivery], now),
}

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
        await client.query('begin')
        await client.query(textsOf(planByIndex).join().replace('$1', 'null'))
        for (const [name, send] of Object.entries(statements)) {
          for (const text of textsOf(send)) {
            for (const node of nodesIn(await planOf(client, text))) assertLookedUp(name, node)
          }
        }
        await client.query('rollback')
      })
      await database.drop()
    })
  }
})
