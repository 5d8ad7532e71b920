import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { asOwner } from '../../../test/support/server.ts'
import { makeTransaction } from '../../../test/support/transaction.ts'
import type { Ctx } from '../context.ts'
import { createPartner } from '../partners/create.ts'
import type { Partner } from '../partners/partner.ts'
import { type Listing, type ListPosition, listTransactions } from './list.ts'
import type { Transaction } from './transaction.ts'

let api: TestApi
let partner: Partner
before(async () => {
  api = await openTestApi()
  partner = await partnerOf(api.all.secret_key)
})
after(() => api.close())

async function partnerOf(key: string): Promise<Partner> {
  const caller = await api.accounts.find(key)
  assert.ok(caller)
  return caller.partner
}

const open = { from: undefined, before: undefined }
const everything = (change: Partial<Listing> = {}): Listing => ({
  partnerId: partner.id,
  kind: 'retail',
  sorting: 'desc',
  created: open,
  updated: open,
  status: undefined,
  externalPartnerLinkId: undefined,
  ...change,
})

/** Reads a whole list by its pages, as long as their limit says each time. */
async function walk(ctx: Ctx, listing: Listing, limit: () => number, each?: (page: number) => unknown) {
  const met: Transaction[] = []
  let start: { offset: number } | { after: ListPosition } = { offset: 0 }
  for (let number = 1; ; number += 1) {
    const size = limit()
    const { transactions, next } = await listTransactions(ctx, listing, size, start)
    assert.ok(next === undefined ? transactions.length <= size : transactions.length === size)
    met.push(...transactions)
    if (!next) return met
    start = { after: next }
    await each?.(number)
  }
}

/** Copies a transaction many times, created over a day, many of them in the same millisecond, under numbers from `first` on. */
const copies = (original: Transaction, count: number, first: number): Promise<string[]> =>
  asOwner(api.database.ownerUrl, async (client) => {
    await client.query(`insert into data_keys (id, erased_at) values (1000000000, now()) on conflict do nothing`)
    const { rows } = await client.query<{ public_id: string }>(
      `with copy as (
         insert into transactions (id, public_id, partner_id, side, status, from_asset, to_asset, expected_from, expected_to, deposit_method,
           payout_method, terms, data_key_id, personal, quote_expires_at, expires_at, created_at, updated_at, external_partner_link_id)
         select $4 + $2 - number, $4::bigint + number, partner_id, side, case number % 3 when 0 then 'finished' else 'expired' end,
           from_asset, to_asset, expected_from, expected_to, deposit_method, payout_method, terms, 1000000000, '', quote_expires_at, expires_at,
           created_at - (number % 500) * interval '7 seconds', created_at - (number % 11) * interval '1 hour', 'copy'
         from transactions, generate_series(1, $2::int) as number where public_id = $1
         returning id, public_id)
       , priced as (
         insert into quotes select copy.id, 1, valid_until, quote from copy, quotes where transaction_id = $3 and number = 1)
       select public_id from copy`,
      [original.publicId, count, original.id, first],
    )
    return rows.map(({ public_id: id }) => id)
  })

describe('a list that is read by its cursor', () => {
  /** So many that one span of changes is short and another is long (`listing/queries.ts`), and fewer. */
  const [many, some] = [12_000, 2_000]
  const owners = new Map<number, { owner: Partner; there: Set<string> }>()
  before(async () => {
    for (const [at, count] of [many, some].entries()) {
      const { partner: owner } = await createPartner(api.ctx, { name: `Of ${count}` }, 'test')
      const original = await makeTransaction(api.ctx, owner)
      const there = [String(original.publicId), ...(await copies(original, count - 1, (at + 1) * 1_000_000))]
      owners.set(count, { owner, there: new Set(there) })
    }
  })
  const ownerOf = (count: number) => owners.get(count) ?? assert.fail()

  const filters: [name: string, count: number, change: Partial<Listing>][] = [
    ['the newest first', some, {}],
    ['the oldest first', some, { sorting: 'asc' }],
    ['of many changes, the newest first', many, { updated: { from: new Date('2020-01-01'), before: undefined } }],
  ]
  for (const [name, count, change] of filters) {
    it(`meets each of ${count} exactly once, ${name}, while others are created`, async () => {
      const { owner, there } = ownerOf(count)
      const created: string[] = []
      const making: Promise<unknown>[] = []
      const make = async () => {
        for (let index = 0; index < 3; index += 1)
          created.push(String((await makeTransaction(api.ctx, owner)).publicId))
      }
      const met = await walk(
        api.ctx,
        everything({ ...change, partnerId: owner.id }),
        () => randomInt(count === many ? 50 : 1, 101),
        // No page has more than a hundred, so a part is still to come when all that is created is there.
        (page) => (page < count / 100 ? page % 3 === 0 && making.push(make()) : Promise.all(making)),
      )
      await Promise.all(making)
      const ids = new Set(met.map(({ publicId }) => String(publicId)))
      assert.equal(ids.size, met.length, 'nothing twice')
      const missed = (wanted: Iterable<string>) => [...wanted].filter((id) => !ids.has(id))
      assert.deepEqual(missed(there), [], 'nothing missed')
      if (change.sorting === 'asc') assert.deepEqual(missed(created), [], 'nor what is new')
      const order = met.map(({ createdAt, id }) => [createdAt.getTime(), Number(id)] as const)
      const sign = change.sorting === 'asc' ? 1 : -1
      for (const [index, [at, id]] of order.entries()) {
        const [laterAt, laterId] = order[index + 1] ?? [sign * Infinity, 0]
        assert.ok(sign * (laterAt - at) > 0 || (laterAt === at && sign * (laterId - id) > 0))
      }
      for (const id of created) there.add(id)
    })
  }

  it('meets just what a filter lets through, however few or many that is', async () => {
    for (const count of [some, many]) {
      const { id: partnerId } = ownerOf(count).owner
      const all = await walk(api.ctx, everything({ partnerId }), () => 100)
      const from = new Date(Math.max(...all.map(({ updatedAt }) => updatedAt.getTime())) - 1_800_000)
      type Row = [change: Partial<Listing>, isWanted: (one: Transaction) => boolean]
      const plain: Row[] = [
        [{ status: 'finished' }, ({ status }) => status === 'finished'],
        [{ status: 'finished', sorting: 'asc' }, ({ status }) => status === 'finished'],
        [{ externalPartnerLinkId: 'copy' }, ({ externalPartnerLinkId: link }) => link === 'copy'],
        [{ created: { from, before: undefined } }, ({ createdAt }) => createdAt >= from],
      ]
      // Of few changes both spans are short: one of these is long.
      const ofMany: Row[] = [
        [{ updated: { from, before: undefined } }, ({ updatedAt }) => updatedAt >= from],
        [{ updated: { from: undefined, before: from }, sorting: 'asc' }, ({ updatedAt }) => updatedAt < from],
      ]
      for (const [change, isWanted] of count === many ? ofMany : plain) {
        const least = change.updated?.from ? 5 : 30
        const met = await walk(api.ctx, everything({ ...change, partnerId }), () => randomInt(least, least * 3 + 5))
        const wanted = all.filter(isWanted)
        assert.ok(wanted.length > 0 && wanted.length < all.length)
        const ids = (list: Transaction[]) => list.map(({ id }) => id)
        assert.deepEqual(ids(met), ids(change.sorting === 'asc' ? wanted.toReversed() : wanted))
      }
    }
  })

  it('has a page of a hundred that is read by one statement', async () => {
    let statements = 0
    const db: Ctx['db'] = { ...api.ctx.db, sql: (...asked) => ((statements += 1), api.ctx.db.sql(...asked)) }
    const listing = everything({ partnerId: ownerOf(some).owner.id })
    const { transactions } = await listTransactions({ ...api.ctx, db }, listing, 100, { offset: 0 })
    assert.deepEqual([transactions.length, statements], [100, 1])
  })
})

describe('a page of the oldest first that ends near the present', () => {
  it('waits for what was created before its end and is committed after it was read', async () => {
    const own = await partnerOf(api.plain.secret_key)
    const [first, second, third] = [
      await makeTransaction(api.ctx, own),
      await makeTransaction(api.ctx, own),
      await makeTransaction(api.ctx, own),
    ]
    const late = new pg.Client({ connectionString: api.database.ownerUrl })
    await late.connect()
    await late.query('begin')
    const set = "created_at = (select created_at from transactions where public_id = $2) - interval '1 microsecond'"
    await late.query(`update transactions set partner_id = $3, ${set} where public_id = $1`, [
      (await makeTransaction(api.ctx, partner)).publicId,
      second.publicId,
      own.id,
    ])

    let reads = 0
    const db: Ctx['db'] = {
      ...api.ctx.db,
      sql: async (strings, ...values) => {
        const rows = await api.ctx.db.sql(strings, ...values)
        reads += 1
        if (reads === 1) await late.query('commit')
        return rows as never
      },
    }
    const met = await walk({ ...api.ctx, db }, everything({ partnerId: own.id, sorting: 'asc' }), () => 2)
    await late.end()
    assert.equal(met.length, 4)
    assert.deepEqual([met[0]?.id, met[2]?.id, met[3]?.id], [first.id, second.id, third.id])
  })
})
