import pg from 'pg'

import { openPool } from '../src/platform/db/pool.ts'
import { openRowIds } from '../src/platform/db/row-ids.ts'
import type { Database } from '../src/platform/db/sql.ts'
import { entry } from '../src/exchange/ledger/entry.ts'
import { type Books, post } from '../src/exchange/ledger/post.ts'
import { answerOrders } from './helper-process.ts'

/**
 * A separate process that books: by our ledger, or the same rows bare. The accounts of an entry are its own, or one of them is
 * the house's that every entry goes to.
 */
export type WriterOrder =
  | { kind: 'open'; ownerUrl: string; lanes: number }
  /** Each entry in an atomic block of its own. */
  | { kind: 'book'; ms: number; hot: boolean }
  /** The same rows into tables with nothing but their primary keys: `begin`, the inserts and `commit` in one go. */
  | { kind: 'append'; ms: number }
  | { kind: 'close' }

/** How many entries in how long. */
export type WriterDone = { count: number; ms: number }

const asset = 'EUR-EUR'
const hotAccount = 'held:bench'

let opened: { pool: Database; books: Books; clients: pg.Client[]; lanes: number } | undefined
let written = Math.trunc(performance.timeOrigin) * 1_000

async function open({ ownerUrl, lanes }: Extract<WriterOrder, { kind: 'open' }>): Promise<WriterDone> {
  const pool = openPool({ urls: [ownerUrl], size: lanes + 1 })
  const books = { rowIds: openRowIds(pool), secrets: { ledger: Buffer.alloc(32, 1) } }
  const clients = await Promise.all(
    Array.from({ length: lanes }, async () => {
      const client = new pg.Client({ connectionString: ownerUrl, pipeline: true })
      await client.connect()
      return client
    }),
  )
  await clients[0]?.query(bareTables)
  opened = { pool, books, clients, lanes }
  return { count: 0, ms: 0 }
}

const bareTables = `
  drop schema if exists bench_bare cascade;
  create schema bench_bare;
  create table bench_bare.entries (like public.entries including defaults, primary key (id));
  create table bench_bare.postings (like public.postings, primary key (entry_id, line))`

/** An entry of two postings, as a settled payout is: what was on its way has gone, and so has the network's fee. */
function nextEntry(hot: boolean) {
  written += 1
  const ref = BigInt(written)
  const place = hot ? hotAccount : `held:bench-${ref}`
  return entry({ transactionId: ref, kind: 'payout_settled', ref, at: new Date() }, [
    { debit: `customer:${ref}`, credit: place, asset, amount: 10_000n },
    { debit: hot ? 'network-fees' : `network-fees-${ref}`, credit: place, asset, amount: 25n },
  ])
}

/** Writes one after the other in every lane, until the time is over. */
async function write(lanes: number, ms: number, writeOne: (lane: number) => Promise<unknown>): Promise<WriterDone> {
  const start = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() - start < ms) {
        await writeOne(lane)
        count += 1
      }
    }),
  )
  return { count, ms: performance.now() - start }
}

const digest = Buffer.alloc(32, 2)

async function append({ clients }: { clients: pg.Client[] }, lane: number): Promise<void> {
  const client = clients[lane]
  if (!client) throw new Error('There is no such lane.')
  const { transactionId, kind, ref, at, postings } = nextEntry(false)
  const values = postings.flatMap(({ debit, credit, amount }, index) => [ref, index + 1, debit, credit, asset, amount])
  await Promise.all([
    client.query('begin'),
    client.query({ ...bareEntry, values: [ref, transactionId, kind, ref, at, digest] }),
    client.query({ ...barePostings, values }),
    client.query('commit'),
  ])
}

const bareEntry = {
  name: 'entry',
  text: 'insert into bench_bare.entries (id, transaction_id, kind, ref, at, digest) values ($1, $2, $3, $4, $5, $6)',
}
const barePostings = {
  name: 'postings',
  text: 'insert into bench_bare.postings values ($1, $2, $3, $4, $5, $6), ($7, $8, $9, $10, $11, $12)',
}

answerOrders<WriterOrder, WriterDone>('ledger-writer.js', async (order) => {
  if (order.kind === 'open') return open(order)
  if (!opened) throw new Error('There is nothing to write into yet.')
  const { pool, books, clients, lanes } = opened
  switch (order.kind) {
    case 'book':
      return write(lanes, order.ms, () => pool.atomic((db) => post(db, books, [nextEntry(order.hot)])))
    case 'append':
      return write(lanes, order.ms, (lane) => append({ clients }, lane))
    case 'close':
      await Promise.all([pool.close(), ...clients.map((client) => client.end())])
      return { count: 0, ms: 0 }
  }
})
