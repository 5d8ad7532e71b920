import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { type Scenario, scenarios, describeScenario } from '../../src/sandbox/api/scenarios.ts'
import { steps } from '../../src/sandbox/scenarios/steps.ts'
import { assertUnique } from '../support/assert-unique.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, create, lookup, read, statusesOf } from '../support/journey.ts'
import { read as readPaper } from '../support/papers.ts'
import { pageOfScenarios, scenariosPage } from '../support/scenarios-page.ts'
import { projectFolder } from '../support/source.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, undefined, { policies: 'shipped' })
})
after(() => exchange.stop())

/** Business time is one for all: who moves it plays alone. */
const movesTime = ({ steps: words }: Scenario): boolean => words.some((word) => steps[word].moment)

/** What came of a scenario, in the words of the catalog. */
type Came = Pick<Scenario, 'statuses' | 'postings' | 'events' | 'ends_in'>

async function cameOf(id: string): Promise<Came> {
  const record = await read(exchange, id)
  const postings = await lookup<{ kind: Scenario['postings'][number] }>(
    exchange,
    'select kind from audit_postings where transaction_id = $1 group by entry_id, kind order by entry_id',
    [id],
  )
  const statuses = statusesOf(record).filter((status, index, all) => status !== all[index - 1])
  return {
    statuses: statuses as Scenario['statuses'],
    postings: postings.map(({ kind }) => kind),
    events: await eventsOf(id),
    ends_in: record.status,
  }
}

/** The types of a transaction's events, in their order, as its partner reads them in the feed. */
async function eventsOf(id: string): Promise<Scenario['events']> {
  type Feed = {
    data: { type: Scenario['events'][number]; payload: { id: string } }[]
    next_after: string
    has_more: boolean
  }
  const types: Scenario['events'] = []
  let after = ''
  for (let hasMore = true; hasMore;) {
    const { body } = await exchange.api<Feed>(`/v1/events?limit=100${after && `&after=${after}`}`)
    types.push(...body.data.flatMap(({ type, payload }) => (payload.id === id ? [type] : [])))
    after = body.next_after
    hasMore = body.has_more
  }
  return types
}

/** The last event may be told a moment after the answer. */
async function assertCame(
  id: string,
  { name, interleaves, statuses, postings, events, ends_in }: Scenario,
): Promise<void> {
  await until(async () => (await eventsOf(id)).length >= events.length, `the events of ${name}`)
  const inOrder = (came: Came) => {
    if (!interleaves) return came
    const holds = came.statuses.includes('on_hold')
    return {
      ...came,
      statuses: came.statuses.filter((status) => status !== 'on_hold'),
      postings: came.postings.toSorted(),
      events: came.events.toSorted().slice(0, holds ? -1 : undefined),
    }
  }
  assert.deepEqual(inOrder(await cameOf(id)), inOrder({ statuses, postings, events, ends_in }), name)
}

async function play(scenario: Scenario): Promise<void> {
  const { status, body } = await exchange.api<{ transaction_id: string }>(`/v1/sandbox/scenarios/${scenario.name}`, {
    body: {},
  })
  assert.equal(status, 201, `${scenario.name}: ${JSON.stringify(body)}`)
  await assertCame(body.transaction_id, scenario)
}

/** Plays some at a time: each waits for its rails most of the while. */
async function playAll(all: readonly Scenario[], atOnce: number): Promise<void> {
  const left = [...all]
  const player = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) await play(next)
  }
  await Promise.all(Array.from({ length: atOnce }, player))
}

/** Nobody is owed anything, nothing is of unknown owners, and the books hold. */
async function assertNobodyIsOwed(): Promise<void> {
  const sums = `select account, asset, sum(amount) from audit_postings
    where account like 'customer:%' or account = 'suspense' group by account, asset having sum(amount) <> 0`
  await until(async () => (await lookup(exchange, sums)).length === 0, 'the last return')
  await assertBooksHold(exchange)
}

describe('every scenario of the catalog', () => {
  it('is listed with what comes of it', async () => {
    const { body } = await exchange.api('/v1/sandbox/scenarios')
    assert.deepEqual(body, scenarios.map(describeScenario))
    assertUnique(scenarios.map(({ name }) => name))
  })

  it('goes through its statuses, entries and events to its end, and owes nobody', async () => {
    await playAll(scenarios.filter((one) => !movesTime(one)).toReversed(), 10)
    await playAll(scenarios.filter(movesTime), 1)
    await assertNobodyIsOwed()
  })

  it('comes to the same when what all share has been used before: a wallet, a price, a chain', async () => {
    const names = ['payout-waits', 'late-accepted', 'reorganised-after-final']
    await playAll(
      scenarios.filter(({ name }) => names.includes(name)),
      names.length,
    )
    await assertNobodyIsOwed()
  })

  it('uses every word that there is', () => {
    const used = new Set<string>(scenarios.flatMap(({ steps: words }) => words))
    assert.deepEqual(
      Object.keys(steps).filter((word) => !used.has(word)),
      [],
    )
  })

  it('is printed as it is played', () => {
    const wanted = pageOfScenarios(scenarios)
    if (process.env.WRITE_PAPERS) writeFileSync(join(projectFolder, scenariosPage), wanted)
    assert.equal(readPaper(scenariosPage), wanted, 'to update it: WRITE_PAPERS=1 npm test -- scenarios')
  })
})

describe('a create with the reference scenario:NAME', () => {
  const named = (name: string): Scenario => scenarios.find((one) => one.name === name) ?? assert.fail(name)

  it('is played by itself, with another amount as well', async () => {
    const { id } = await create(exchange, { from_amount: '120', external_partner_link_id: 'scenario:held-released' })
    await arrive(exchange, id, 'finished')
    await assertCame(id, named('held-released'))
  })

  it('keeps what a step gives for a later one', async () => {
    const wish = { from_amount: '300', deposit: { payment_category: 'SEPA' } }
    const { id } = await create(exchange, { ...wish, external_partner_link_id: 'scenario:suspense-matched' })
    await arrive(exchange, id, 'finished')
    await assertCame(id, named('suspense-matched'))
    await assertNobodyIsOwed()
  })

  it('of another exchange, and of a story that there is not, is left alone', async () => {
    const ids: string[] = []
    for (const name of ['sepa-buy', 'nothing']) {
      ids.push((await create(exchange, { external_partner_link_id: `scenario:${name}` })).id)
    }
    await until(async () => (await lookup(exchange, `select 1 from jobs where kind = 'scenario.due'`)).length === 0)
    for (const id of ids) assert.equal((await read(exchange, id)).status, 'new')
  })
})
