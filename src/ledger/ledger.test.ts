import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testDatabase } from '../../test/support/database.ts'
import { openPool } from '../db/pool.ts'
import { openRowIds } from '../db/row-ids.ts'
import type { Database } from '../db/sql.ts'
import { balanceOf, foldBalances, lowerCover, reserve, settleReserves } from './balance.ts'
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
    db = openPool({ urls: [url], size: 8, statementNames: true })
    owner = openPool({ urls: [ownerUrl], size: 2, statementNames: true })
    books = { rowIds: openRowIds(db), secrets: { ledger: Buffer.alloc(32, 7) } }
    await db.sql`insert into assets (id, ticker, network, decimals) values ('EUR-EUR', 'EUR', 'EUR', 2)`
  })
  after(async () => {
    await db.close()
    await owner.close()
  })

  let refs = 0n
  const bring = (place: string, amount: bigint) =>
    book([{ debit: `held:${place}`, credit: 'capital', asset: 'EUR-EUR', amount }])
  const book = (postings: Posting[], ref = (refs += 1n)) =>
    db.atomic((block) => post(block, books, [entry({ transactionId: null, kind: 'capital', ref, at }, postings)]))

  it('adds up folded and new postings alike', async () => {
    await bring('fold', 100n)
    await foldBalances(db)
    await bring('fold', 11n)
    assert.equal(await balanceOf(db, 'held:fold', 'EUR-EUR'), 111n)
    await foldBalances(db)
    await foldBalances(db)
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
      fold = bring('slow', 7n).then(() => foldBalances(db))
      await fold
    })
    assert.equal(await balanceOf(db, 'held:slow', 'EUR-EUR'), 12n)
    await foldBalances(db)
    assert.equal(await balanceOf(db, 'held:slow', 'EUR-EUR'), 12n)
  })

  it('folds nothing twice when a fold has waited for another one', async () => {
    await bring('folds', 1n)
    await foldEverything(db)
    let late: Promise<void> | undefined
    await db.atomic(async (block) => {
      await block.sql`select below from fold_state for update`
      late = foldBalances(db)
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

  it('covers nothing by money that was taken back, whoever spends at the same time', async () => {
    await bring('ebb', 300n)
    const claim = { place: 'ebb', asset: 'EUR-EUR', amount: 1n }
    const spend = () => db.atomic((block) => reserve(block, [claim]))
    const takeBack = () =>
      db.atomic(async (block) => {
        const taken = entry({ transactionId: null, kind: 'deposit_reversed', ref: (refs += 1n), at }, [
          { debit: 'losses:chargebacks', credit: 'held:ebb', asset: 'EUR-EUR', amount: 10n },
        ])
        await post(block, books, [taken])
        lowerCover(block, [taken])
      })
    await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 5 === 0 ? takeBack() : spend())))
    assert.equal(await balanceOf(db, 'held:ebb', 'EUR-EUR'), 100n)
    const [row] = await db.sql`select covered, reserved from reserves where place = 'ebb'`
    assert.deepEqual(row, { covered: 100n, reserved: 80n })
    const more = await Promise.all(Array.from({ length: 50 }, spend))
    assert.equal(more.filter(([granted]) => granted).length, 20)
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
      () => db.sql`delete from moves`,
      () => db.sql`update quotes set number = 2`,
      () => db.sql`update facts set kind = 'x'`,
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
    await foldBalances(db)
  } while ((await left()).length > 0)
}

/** Resolves when someone waits for a row that another block has locked. */
async function waitingForLock(db: Database): Promise<void> {
  const waits = () => db.sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%fold_state%'`
  while ((await waits()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
