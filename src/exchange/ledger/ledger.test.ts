import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../../platform/db/pool.ts'
import { openRowIds } from '../../platform/db/row-ids.ts'
import type { Database } from '../../platform/db/sql.ts'
import {
  balanceOf,
  type Claim,
  updateBalanceSnapshot,
  lowerAvailable,
  releaseReserves,
  reserve,
  settleReserves,
} from './balance.ts'
import { entry, type Posting } from './entry.ts'
import { type Books, post } from './post.ts'
import { verifyBooks } from './verify.ts'

describe('the ledger', () => {
  let db: Database
  let owner: Database
  let books: Books
  const at = new Date('2026-01-02T03:04:05.678Z')
  before(async () => {
    const { url, ownerUrl } = await testDatabase()
    db = openPool({ urls: [url], size: 8 })
    owner = openPool({ urls: [ownerUrl], size: 2 })
    books = { rowIds: openRowIds(db), secrets: { ledger: Buffer.alloc(32, 7) } }
    await db.sql`
      insert into assets (id, ticker, network, decimals) values
        ('EUR-EUR', 'EUR', 'EUR', 2), ('COIN-A', 'COIN', 'A', 0), ('TOKEN-A', 'TOKEN', 'A', 0)`
  })
  after(async () => {
    await db.close()
    await owner.close()
  })

  let refs = 0n
  const bring = (place: string, amount: bigint, asset = 'EUR-EUR') =>
    book([{ debit: `held:${place}`, credit: 'capital', asset, amount }])
  const book = (postings: Posting[], ref = (refs += 1n)) =>
    db.atomic((block) => post(block, books, [entry({ transactionId: null, kind: 'capital', ref, at }, postings)]))

  it('adds up folded and new postings alike', async () => {
    await bring('fold', 100n)
    await updateBalanceSnapshot(db)
    await bring('fold', 11n)
    assert.equal(await balanceOf(db, 'held:fold', 'EUR-EUR'), 111n)
    await updateBalanceSnapshot(db)
    await updateBalanceSnapshot(db)
    assert.equal(await balanceOf(db, 'held:fold', 'EUR-EUR'), 111n)
    assert.deepEqual(await verifyBooks(db, books), [])
  })

  it('counts what a slow block commits after a fold', async () => {
    let fold: Promise<void> | undefined
    await db.atomic(async (block) => {
      await post(block, books, [
        entry({ transactionId: null, kind: 'capital', ref: (refs += 1n), at }, [
          { debit: 'held:slow', credit: 'capital', asset: 'EUR-EUR', amount: 5n },
        ]),
      ])
      await block.sql`select 1`
      fold = bring('slow', 7n).then(() => updateBalanceSnapshot(db))
      await fold
    })
    assert.equal(await balanceOf(db, 'held:slow', 'EUR-EUR'), 12n)
    await updateBalanceSnapshot(db)
    assert.equal(await balanceOf(db, 'held:slow', 'EUR-EUR'), 12n)
  })

  it('folds nothing twice when a fold has waited for another one', async () => {
    await bring('folds', 1n)
    await foldEverything(db)
    let late: Promise<void> | undefined
    await db.atomic(async (block) => {
      await block.sql`select below from fold_state for update`
      late = updateBalanceSnapshot(db)
      await waitingForLock(db)
      // What another fold does that has seen a later moment: it takes in what was booked since.
      await bring('folds', 10n)
      await block.sql`update folded_balances set amount = amount + 10 where account = 'held:folds'`
      await block.sql`update folded_balances set amount = amount - 10 where account = 'capital'`
      await block.sql`update fold_state set below = (select (max(xid)::text::numeric + 1)::text::xid8 from entries)`
    })
    await late
    await foldEverything(db)
    assert.equal(await balanceOf(db, 'held:folds', 'EUR-EUR'), 11n)
    assert.deepEqual(await verifyBooks(db, books), [])
  })

  it('books the same thing once', async () => {
    const postings = [{ debit: 'held:twice', credit: 'capital', asset: 'EUR-EUR', amount: 1n }]
    await book(postings, 999n)
    await assert.rejects(book(postings, 999n), { code: '23505' })
    assert.equal(await balanceOf(db, 'held:twice', 'EUR-EUR'), 1n)
  })

  it('covers exactly as many of 500 parallel spends as there is money for', async () => {
    await bring('spend', 300n)
    const spends = await Promise.all(
      Array.from({ length: 500 }, () =>
        db.atomic((block) => reserve(block, [{ place: 'spend', asset: 'EUR-EUR', amount: 3n }])),
      ),
    )
    assert.equal(spends.filter(([granted]) => granted).length, 100)
    const [row] = await db.sql`select covered, reserved from reserves where place = 'spend'`
    assert.deepEqual(row, { covered: 300n, reserved: 300n })
  })

  it('covers a spend as soon as money has come, and not by money that has left', async () => {
    const claim = { place: 'tide', asset: 'EUR-EUR', amount: 10n }
    const take = () => db.atomic((block) => reserve(block, [claim]))
    assert.deepEqual(await take(), [false])
    await bring('tide', 15n)
    assert.deepEqual(await take(), [true])
    await db.atomic(async (block) => {
      await post(block, books, [
        entry({ transactionId: null, kind: 'capital', ref: (refs += 1n), at }, [
          { debit: 'capital', credit: 'held:tide', asset: 'EUR-EUR', amount: 10n },
        ]),
      ])
      settleReserves(block, [{ ...claim, fee: 0n }])
    })
    assert.deepEqual(await take(), [false])
  })

  it('grants nothing from reversed money, even under concurrent payouts', async () => {
    await bring('ebb', 300n)
    const claim = { place: 'ebb', asset: 'EUR-EUR', amount: 1n }
    const spend = () => db.atomic((block) => reserve(block, [claim]))
    const takeBack = () =>
      db.atomic(async (block) => {
        const taken = entry({ transactionId: null, kind: 'deposit_reversed', ref: (refs += 1n), at }, [
          { debit: 'losses:chargebacks', credit: 'held:ebb', asset: 'EUR-EUR', amount: 10n },
        ])
        await post(block, books, [taken])
        lowerAvailable(block, [taken])
      })
    await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 5 === 0 ? takeBack() : spend())))
    assert.equal(await balanceOf(db, 'held:ebb', 'EUR-EUR'), 100n)
    const [row] = await db.sql`select covered, reserved from reserves where place = 'ebb'`
    assert.deepEqual(row, { covered: 100n, reserved: 80n })
    const more = await Promise.all(Array.from({ length: 50 }, spend))
    assert.equal(more.filter(([granted]) => granted).length, 20)
  })

  const reserved = async (place: string) =>
    (
      await db.sql<{ asset: string; reserved: bigint }>`
        select asset, reserved from reserves where place = ${place} order by asset`
    ).map((row) => [row.asset, row.reserved])

  it('promises no coin that sending could cost, and of a token none that cannot be sent', async () => {
    await bring('fees', 100n, 'COIN-A')
    await bring('fees', 1_000n, 'TOKEN-A')
    const fee = { place: 'fees', fee_asset: 'COIN-A', most_fee: 10n }
    const coin: Claim = { ...fee, asset: 'COIN-A', amount: 30n }
    const token: Claim = { ...fee, asset: 'TOKEN-A', amount: 100n }
    const take = (claims: Claim[]) => db.atomic((block) => reserve(block, claims))
    assert.deepEqual(await take([{ ...coin, amount: 91n }]), [false], 'all of it, and nothing to send it with')
    assert.deepEqual(await take([token, coin, coin, token, token]), [true, true, true, true, false])
    assert.deepEqual(await reserved('fees'), [
      ['COIN-A', 100n],
      ['TOKEN-A', 200n],
    ])
    await db.atomic((block) => {
      releaseReserves(block, [token])
      return Promise.resolve()
    })
    assert.deepEqual(await take([coin, { ...token, amount: 901n }, token]), [false, false, true])
    assert.deepEqual(await reserved('fees'), [
      ['COIN-A', 100n],
      ['TOKEN-A', 200n],
    ])
  })

  it('counts what sending has cost, and promises again what it might have', async () => {
    await bring('spent', 100n, 'COIN-A')
    const claim: Claim = { place: 'spent', asset: 'COIN-A', amount: 40n, fee_asset: 'COIN-A', most_fee: 10n }
    assert.deepEqual(await db.atomic((block) => reserve(block, [claim, claim])), [true, true])
    await db.atomic(async (block) => {
      await post(block, books, [
        entry({ transactionId: null, kind: 'payout_settled', ref: (refs += 1n), at }, [
          { debit: 'capital', credit: 'held:spent', asset: 'COIN-A', amount: 40n },
          { debit: 'network-fees', credit: 'held:spent', asset: 'COIN-A', amount: 3n },
        ]),
      ])
      settleReserves(block, [
        { ...claim, fee: 0n },
        { place: 'spent', asset: 'COIN-A', amount: 0n, fee: 3n },
      ])
    })
    const [row] = await db.sql`select covered, reserved from reserves where place = 'spent'`
    assert.deepEqual(row, { covered: 57n, reserved: 50n })
    assert.deepEqual(await db.atomic((block) => reserve(block, [{ place: 'spent', asset: 'COIN-A', amount: 8n }])), [
      false,
    ])
    assert.deepEqual(await db.atomic((block) => reserve(block, [{ place: 'spent', asset: 'COIN-A', amount: 7n }])), [
      true,
    ])
  })

  it('never promises above what is held when fees are reserved by many at once', async () => {
    await bring('crowd', 300n, 'COIN-A')
    await bring('crowd', 300n, 'TOKEN-A')
    const fee = { place: 'crowd', fee_asset: 'COIN-A', most_fee: 1n }
    const spends = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        db.atomic((block) =>
          reserve(block, [
            { ...fee, asset: index % 2 === 0 ? 'COIN-A' : 'TOKEN-A', amount: index % 2 === 0 ? 2n : 3n },
          ]),
        ),
      ),
    )
    const [coins, tokens] = [0, 1].map((kind) => spends.filter(([yes], index) => yes && index % 2 === kind).length)
    assert(coins !== undefined && tokens !== undefined && tokens <= 100)
    assert.deepEqual(await reserved('crowd'), [
      ['COIN-A', BigInt(3 * coins + tokens)],
      ['TOKEN-A', BigInt(3 * tokens)],
    ])
    assert(3 * coins + tokens <= 300 && 3 * coins + tokens > 296)
  })

  for (const [what, harm] of [
    ['a changed amount', (id: bigint) => owner.sql`update postings set amount = amount + 1 where entry_id = ${id}`],
    ['a removed posting', (id: bigint) => owner.sql`delete from postings where entry_id = ${id} and line = 2`],
    [
      'another account',
      (id: bigint) => owner.sql`update postings set debit = 'held:thief' where entry_id = ${id} and line = 1`,
    ],
    ['another time', (id: bigint) => owner.sql`update entries set at = at + interval '1 second' where id = ${id}`],
  ] as const) {
    it(`finds ${what}`, async () => {
      const money = { credit: 'capital', asset: 'EUR-EUR' }
      await book([
        { ...money, debit: 'held:a', amount: 1n },
        { ...money, debit: 'held:b', amount: 2n },
      ])
      const [last] = await db.sql<{ id: bigint }>`select max(id) as id from entries`
      const id = last?.id ?? 0n
      await harm(id)
      assert.match((await verifyBooks(db, books)).join('\n'), new RegExp(`Entry ${id} `))
      await owner.sql`delete from postings where entry_id = ${id}`
      await owner.sql`delete from entries where id = ${id}`
      assert.deepEqual(await verifyBooks(db, books), [])
    })
  }

  it('cannot be rewritten by the service', async () => {
    for (const attempt of [
      () => db.sql`update postings set amount = 1`,
      () => db.sql`delete from postings`,
      () => db.sql`truncate postings`,
      () => db.sql`update entries set kind = 'x'`,
      () => db.sql`delete from entries`,
      () => db.sql`delete from status_history`,
      () => db.sql`update quotes set number = 2`,
      () => db.sql`update rail_events set kind = 'x'`,
      () => db.sql`delete from audit`,
    ]) {
      await assert.rejects(attempt(), { code: '42501' })
    }
  })
})

/** Folds until all that was booked is folded: what is open anywhere on the server holds back the horizon. */
async function foldEverything(db: Database): Promise<void> {
  const left = () => db.sql`select 1 from entries where xid >= (select below from fold_state) limit 1`
  do {
    await updateBalanceSnapshot(db)
  } while ((await left()).length > 0)
}

/** Resolves when someone waits for a row that another block has locked. */
async function waitingForLock(db: Database): Promise<void> {
  const waits = () => db.sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%fold_state%'`
  while ((await waits()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
