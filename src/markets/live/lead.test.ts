import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'

import { testDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/telling.ts'
import { openPool } from '../../platform/db/pool.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { rulesOf } from '../settings.ts'
import type { PriceSource, Reading, Report } from '../sources/price-source.ts'
import { openFollower } from './follow.ts'
import { startLeader } from './lead.ts'
import { takeLead, writeBooks } from './queries.ts'
import { promised } from '../../../test/support/promised.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

const clock = systemClock()
const stampKey = Buffer.alloc(32, 7)
const rules = {
  ...rulesOf({ minimum_sources: 1, max_age: 'PT2S', sources: [] }),
  jumpBasisPoints: () => 1_000,
  refreshMs: 500,
}

/** A source that is asked by one process, and says what a test wants while it runs. */
function sourceOf() {
  let report: Report | undefined
  const source: PriceSource = {
    name: 'desk',
    maxAgeMs: undefined,
    start: (to) => {
      report = to
      return { stop: () => (report = undefined) }
    },
  }
  const say = (bid: string): void => {
    const reading: Reading = { bid, ask: '89010', receivedAt: clock.realNow().getTime() }
    report?.(new Map([['BTC/EUR', reading]]), true)
  }
  return { source, say, isAsked: () => report !== undefined }
}

function processOf(t: TestContext) {
  const db = openPool({ urls: [database.url], size: 3 })
  const { source, say, isAsked } = sourceOf()
  let market = openFollower({ db, stampKey, clock, rules }, () => undefined)
  const onWritten = () => undefined
  const leader = startLeader({
    db,
    stampKey,
    clock,
    log: silentLog,
    rules,
    sources: [source],
    mayLead: () => true,
    onWritten,
  })
  const bid = async (): Promise<string | undefined> => {
    await market.refresh()
    const [book] = market.market().booksAt(clock.now())
    return book && `${book.bid.numerator / book.bid.denominator}`
  }
  let isDead = false
  const die = async (): Promise<void> => {
    isDead = true
    market = openFollower({ db, stampKey, clock, rules }, () => undefined)
    await db.close()
  }
  t.after(async () => {
    await leader.stop()
    if (!isDead) await db.close()
  })
  return { say, isAsked, bid, die, leader }
}

test('one process asks the sources; after its death another one does within five seconds', async (t) => {
  const first = processOf(t)
  await until(first.isAsked, 'a leader')
  const second = processOf(t)
  const hears = async (price: string, from = first): Promise<boolean> => {
    from.say(price)
    return (await second.bid()) === price
  }
  await until(() => hears('89000'), 'the first price, at the follower')
  assert.equal(second.isAsked(), false)

  const begun = performance.now()
  // It loses its database: it writes nothing any more, and does not give the lead back.
  await first.die()
  await until(second.isAsked, 'the second leader')
  const tookMs = Math.round(performance.now() - begun)
  t.diagnostic(`the lead moved after ${tookMs} ms`)
  assert.ok(tookMs < promised(5_000), `${tookMs} ms`)
  await until(() => hears('89005', second), 'the next price')
  await until(async () => (await second.bid()) === undefined, 'no price, as the source is silent')

  await second.leader.stop()
  const third = processOf(t)
  const handed = performance.now()
  await until(third.isAsked, 'the third leader')
  assert.ok(performance.now() - handed < promised(2_000), 'a lead that was given back is free at once')
})

test('who lost the lease writes nothing', async (t) => {
  const db = openPool({ urls: [database.url], size: 2 })
  t.after(() => db.close())
  const late = new Date(clock.realNow().getTime() + 60_000)
  const old = await takeLead(db, 'old', late, late)
  assert.ok(old)
  assert.equal(await takeLead(db, 'new', clock.realNow(), late), undefined, 'it is held')
  const muchLater = new Date(late.getTime() + 1)
  const fresh = await takeLead(db, 'new', muchLater, muchLater)
  assert.ok(fresh && fresh.fence > old.fence)
  const row = {
    pair: 'ETH/EUR',
    bid: '1',
    ask: '2',
    state: 'open' as const,
    confirmedAt: late,
    haltedUntil: null,
    sources: [],
  }
  assert.equal(await writeBooks({ db, stampKey }, old, 900n, [row]), false)
  assert.equal(await writeBooks({ db, stampKey }, fresh, 901n, [row]), true)
})
