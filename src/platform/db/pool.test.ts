import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from './pool.ts'
import { type Atomic, CommitUnknown, type Database } from './sql.ts'

type Counted = { n: bigint }

describe('an atomic block', () => {
  let db: Database
  before(async () => {
    const { url } = await testDatabase()
    db = openPool({ urls: [url], size: 4 })
  })
  after(() => db.close())

  const write =
    (key: string) =>
    (block: Atomic): void =>
      block.send`insert into leases (name, holder, fence, until) values (${key}, 'test', 1, now())`
  const count = async (key: string) =>
    (await db.sql<Counted>`select count(*) as n from leases where name = ${key}`)[0]?.n

  it('keeps nothing when its work throws', async () => {
    await assert.rejects(
      db.atomic(async (block) => {
        write('thrown')(block)
        throw new Error('no')
      }),
      /no/,
    )
    assert.equal(await count('thrown'), 0n)
  })

  it('keeps nothing, and throws, when a statement that nobody waited for failed', async () => {
    await assert.rejects(
      db.atomic(async (block) => {
        write('unawaited')(block)
        block.send`insert into leases (name) values (null)`
      }),
      { code: '23502' },
    )
    assert.equal(await count('unawaited'), 0n)
  })

  it('tells nobody of a commit that did not happen', async () => {
    let notified = false
    await assert.rejects(
      db.atomic(async (block) => {
        block.afterCommit(() => {
          notified = true
        })
        block.send`select 1 / 0`
      }),
    )
    assert.equal(notified, false)
  })

  it('is run again after a deadlock, from the start', async () => {
    await db.atomic(async (block) => {
      write('a')(block)
      write('b')(block)
    })
    let runs = 0
    const meet = meeting(2)
    const take = (first: string, second: string) =>
      db.atomic(async (block) => {
        runs += 1
        await block.sql`update leases set fence = fence + 1 where name = ${first}`
        if (runs <= 2) await meet()
        await block.sql`update leases set fence = fence + 1 where name = ${second}`
      })
    await Promise.all([take('a', 'b'), take('b', 'a')])
    const rows = await db.sql<{ fence: bigint }>`select fence from leases where name in ('a', 'b')`
    assert.deepEqual(
      rows.map(({ fence }) => fence),
      [3n, 3n],
    )
    // The server ends one of the two, or, when both look at the same moment, each, who may meet once more.
    assert.ok(runs >= 3, `${runs} runs`)
  })

  it('can be waited for by single statements inside it, with every connection taken', async () => {
    await Promise.all(
      Array.from({ length: 12 }, () =>
        db.atomic(async (block) => {
          await block.sql`select 1`
          await db.sql`select 1`
        }),
      ),
    )
  })

  it('says so when nobody knows whether it has committed', async () => {
    await assert.rejects(
      db.atomic(async (block) => {
        write('cut off')(block)
        // The server ends this connection while the commit is already on its way.
        block.send`select pg_terminate_backend(pg_backend_pid())`
      }),
      CommitUnknown,
    )
    await assert.rejects(
      db.atomic(async (block) => block.send`select 1 / 0`),
      { code: '22012' },
    )
  })

  it('that waits for a connection learns that none can be opened', async () => {
    const nowhere = openPool({ urls: ['postgresql://nobody@127.0.0.1:1/none'], size: 2 })
    const blocks = Array.from({ length: 5 }, () => nowhere.atomic(async () => undefined))
    const ends = await Promise.race([Promise.allSettled(blocks), patience(60_000)])
    assert.deepEqual(
      ends.map(({ status }) => status),
      blocks.map(() => 'rejected'),
    )
    await nowhere.close()
  })

  it('that waits for a connection gets one when the one that was given out is lost', async () => {
    const { url } = await testDatabase()
    const small = openPool({ urls: [url], size: 2 })
    const cut = () => small.atomic((block) => block.sql`select pg_terminate_backend(pg_backend_pid())`)
    const blocks = [cut(), cut(), cut(), small.atomic((block) => block.sql`select 1`)]
    const ends = await Promise.race([Promise.allSettled(blocks), patience(60_000)])
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected', 'fulfilled'],
    )
    await small.close()
  })

  it('that waits for a connection ends with the pool', async () => {
    const { url } = await testDatabase()
    const small = openPool({ urls: [url], size: 2 })
    const [enter, leave] = [meeting(3), meeting(3)]
    const hold = () => small.atomic(() => enter().then(leave))
    const holding = [hold(), hold()]
    await enter()
    const waits = small.atomic(async () => undefined)
    const closing = small.close()
    await assert.rejects(waits, /closed/)
    await Promise.allSettled([leave(), ...holding, closing])
  })

  it('is not used after its end', async () => {
    const escaped = await db.atomic(async (block) => block)
    await assert.rejects(escaped.sql`select 1`, /over/)
  })
})

it('a connection whose session may not write is given to nobody after its first refusal', async () => {
  const { url } = await testDatabase()
  const db = openPool({ urls: [url], size: 1 })
  await db.sql`set default_transaction_read_only = on`
  await assert.rejects(db.sql`insert into leases (name, holder, fence, until) values ('a', 'test', 1, now())`, {
    code: '25006',
  })
  await db.sql`insert into leases (name, holder, fence, until) values ('a', 'test', 1, now())`
  await db.close()
})

/** Resolves for everyone when as many as expected have come. */
function meeting(expected: number): () => Promise<void> {
  let come = 0
  let open: () => void
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  return () => {
    come += 1
    if (come === expected) open()
    return gate
  }
}

/** Fails when something takes too long. */
const patience = (ms: number): Promise<never> =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`Nothing came in ${ms} ms.`)), ms).unref()
  })
