import pg from 'pg'

import { migrate } from '../src/platform/db/migrate.ts'
import { answerOrders } from './helper-process.ts'
import { type Block, blocksOf, type Part } from './life-blocks.ts'
import { type Cell, readSample, type Row, type Sample, valueIn } from './life-sample.ts'

/**
 * The limit for creates and for whole buys: a process that writes the very rows that one of ours has left, with nothing
 * around it. On the same server, in its own database with the same tables.
 */
export type RowsOrder =
  /** Reads a finished buy (by its public id) of the exchange's database, and makes the database to write into. */
  | { kind: 'learn'; ownerUrl: string; publicId: string }
  /** Writes what creates write: the statements of each, `begin` and `commit` included, in one go. */
  | { kind: 'creates'; lanes: number; ms: number }
  /** Writes whole lives: one statement a block, each its own commit. */
  | { kind: 'lives'; lanes: number; ms: number }

/** How many in how long. */
export type RowsDone = { count: number; ms: number }

const database = 'cambio_bench_limit'

let learnt: { url: string; sample: Sample; endpointId: string; columns: Map<string, string> } | undefined
let written = 0

async function learn({ ownerUrl, publicId }: Extract<RowsOrder, { kind: 'learn' }>): Promise<RowsDone> {
  const url = new URL(ownerUrl)
  url.pathname = `/${database}`
  const ours = await open(ownerUrl)
  await ours.query(`drop database if exists ${database} with (force)`)
  await ours.query(`create database ${database}`)
  await migrate({ ownerUrl: url.href, serviceRole: `${database}_service`, servicePassword: 'bench' })

  const limit = await open(url.href)
  for (const table of ['assets', 'partners', 'webhook_endpoints']) await copy(ours, limit, table)
  const { rows } = await ours.query<{ id: string }>('select id from transactions where public_id = $1', [publicId])
  const endpoint = await ours.query<{ id: string }>('select id from webhook_endpoints limit 1')
  const sample = await readSample(ours, rows[0]?.id ?? '')
  learnt = { url: url.href, sample, endpointId: endpoint.rows[0]?.id ?? '', columns: await readColumns(limit) }
  await shareRows(limit, sample)
  await ours.end()
  await limit.end()
  return { count: 0, ms: 0 }
}

const byteaOid = 17

/** Every value as it came, as text; bytes as bytes. */
const asText: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => (oid === byteaOid ? bytesOf : (text: string) => text),
}

const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types: asText, pipeline: true })
  await client.connect()
  return client
}

async function copy(from: pg.Client, to: pg.Client, table: string): Promise<void> {
  const { rows } = await from.query<{ all: string }>(`select coalesce(json_agg(t), '[]') as all from ${table} t`)
  await to.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [rows[0]?.all])
}

/** The types of all columns, by `table.column`. */
async function readColumns(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(`
    select attrelid::regclass || '.' || attname as name, format_type(atttypid, null) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid where relkind = 'r' and attnum > 0`)
  return new Map(rows.map(({ name, type }) => [name, type]))
}

const mostLanes = 64

/** The rows that lives share, one of each for every lane. */
async function shareRows(client: pg.Client, sample: Sample): Promise<void> {
  const asset = sample.payouts?.[0]?.asset
  const id = asset && 'value' in asset ? String(asset.value) : ''
  for (let lane = 0; lane < mostLanes; lane += 1) {
    await client.query('insert into reserves values ($1, $2, 0, 0)', [`bench-${lane}`, id])
    for (const whose of ['sender', 'recipient']) {
      await client.query('insert into sandbox.wallets values ($1, $2, $3, 0)', ['BENCH', `${whose}-${lane}`, id])
    }
  }
}

/** A prepared statement, and how its values are found. */
type Prepared = { name: string; text: string; cells: Cell[] }

/** One statement for some parts: each but the last becomes a `with`. */
function prepare(name: string, parts: Part[]): Prepared {
  const cells: Cell[] = []
  const texts = parts.map((part) => textOf(part, cells))
  const last = texts.pop() ?? ''
  const before = texts.map((text, index) => `part_${index} as (${text})`).join(', ')
  return { name, text: before ? `with ${before} ${last}` : last, cells }
}

function textOf(part: Part, cells: Cell[]): string {
  const place = (table: string, column: string, cell: Cell): string => {
    cells.push(cell)
    const type = learnt?.columns.get(`${table}.${column}`)
    if (!type) throw new Error(`There is no ${table}.${column}.`)
    return `$${cells.length}::${type}`
  }
  const each = (table: string, row: Row, joined: string) =>
    Object.entries(row)
      .map(([column, cell]) => `${column} = ${place(table, column, cell)}`)
      .join(joined)

  if ('remove' in part) return `delete from ${part.remove} where ${each(part.remove, part.at, ' and ')}`
  if ('update' in part) {
    return `update ${part.update} set ${each(part.update, part.set, ', ')} where ${each(part.update, part.at, ' and ')}`
  }
  const columns = [...new Set(part.rows.flatMap((row) => Object.keys(row)))]
  const rows = part.rows.map(
    (row) => `(${columns.map((column) => place(part.insert, column, row[column] ?? { value: null })).join()})`,
  )
  return `insert into ${part.insert} (${columns.join()}) overriding system value values ${rows.join()}`
}

async function write(
  lanes: number,
  ms: number,
  oneOf: (lane: number) => (client: pg.Client, life: number) => Promise<unknown>,
) {
  if (!learnt) throw new Error('There is nothing to write yet.')
  const { url } = learnt
  const clients = await Promise.all(Array.from({ length: lanes }, () => open(url)))
  const start = performance.now()
  const before = written
  await Promise.all(
    clients.map(async (client, lane) => {
      const writeOne = oneOf(lane)
      while (performance.now() - start < ms) {
        written += 1
        await writeOne(client, written)
      }
    }),
  )
  const took = performance.now() - start
  await Promise.all(clients.map((client) => client.end()))
  return { count: written - before, ms: took }
}

const run = (client: pg.Client, { name, text, cells }: Prepared, life: number): Promise<unknown> =>
  client.query({ name, text, values: cells.map((cell) => valueIn(life, cell)) })

const blocksFor = (lane: number): Block[] => (learnt ? blocksOf(learnt.sample, learnt.endpointId, lane) : [])

/** What a create itself writes: the feed and the queue are for later. */
const isOfCreate = (part: Part): boolean => !('insert' in part && ['event_feed', 'webhook_queue'].includes(part.insert))

function createsOf(lane: number) {
  const [create] = blocksFor(lane)
  const statements = (create?.parts ?? []).filter(isOfCreate).map((part, index) => prepare(`create-${index}`, [part]))
  return (client: pg.Client, life: number) =>
    Promise.all([client.query('begin'), ...statements.map((one) => run(client, one, life)), client.query('commit')])
}

function livesOf(lane: number) {
  const statements = blocksFor(lane).map(({ name, parts }) => prepare(name, parts))
  return async (client: pg.Client, life: number) => {
    for (const statement of statements) await run(client, statement, life)
  }
}

answerOrders<RowsOrder, RowsDone>('plain-rows.js', async (order) => {
  switch (order.kind) {
    case 'learn':
      return learn(order)
    case 'creates':
      return write(order.lanes, order.ms, createsOf)
    case 'lives':
      return write(order.lanes, order.ms, livesOf)
  }
})
