import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import type { Job } from '../../src/platform/jobs/job.ts'
import { receiveRailEvents } from '../../src/exchange/settlement/rail-event.ts'
import { settleRailEvents } from '../../src/exchange/settlement/settle-rail-events.ts'
import { keepAtProcessor, referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, bookBalance, lookup, read, readyToPay } from '../support/journey.ts'

/** An exchange in which nobody works: each job waits until a test does it. */
let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', ROLES: 'api' })
})
after(() => exchange.stop())

async function factJobs(): Promise<Job[]> {
  const rows = await lookup<Record<'id' | 'kind' | 'key' | 'fence', string>>(
    exchange,
    `select * from jobs where kind = 'fact.received' order by id`,
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    kind: row.kind,
    key: row.key,
    timebase: 'business',
    attempts: 0,
    fence: BigInt(row.fence),
  }))
}

const kinds = { final: 'deposit_final', reversed: 'deposit_reversed' } as const
type Told = [kind: keyof typeof kinds, payment: string, amount: bigint]

/** Tells facts and settles them, all of one batch or one by one. */
async function tell(id: string, facts: Told[], together: boolean): Promise<void> {
  const { ctx } = exchange.service.composition
  const reference = await referenceOf(exchange, id)
  const whole = facts.map(([kind, payment, amount]) => ({
    rail: 'sandbox-card',
    key: `${id} ${payment} ${kind}`,
    kind: kinds[kind],
    reference,
    payment: `${id} ${payment}`,
    asset: 'EUR-EUR',
    amount,
    body: {},
  }))
  await ctx.db.atomic((db) => receiveRailEvents(ctx, db, whole))
  for (const [kind, payment, amount] of facts) {
    const status = kind === 'final' ? 'CAPTURED' : 'CHARGED_BACK'
    const about = { payment, status, merchant_reference: reference, asset: 'EUR-EUR', amount: String(amount) }
    await keepAtProcessor(exchange, about)
  }
  const jobs = await factJobs()
  assert.equal(jobs.length, facts.length)
  const { run } = settleRailEvents(ctx)
  // As the queue does it: a batch that fails is tried again one by one.
  if (
    together &&
    (await run(jobs).then(
      () => true,
      () => false,
    ))
  )
    return
  for (const job of jobs) await run([job])
}

const cases: Record<string, Told[]> = {
  'too little, and taken back': [
    ['final', 'a', 6_000n],
    ['reversed', 'a', 6_000n],
  ],
  'what was agreed, and taken back': [
    ['final', 'a', 10_000n],
    ['reversed', 'a', 10_000n],
  ],
  'two deposits and the first taken back': [
    ['final', 'a', 10_000n],
    ['final', 'b', 10_000n],
    ['reversed', 'a', 10_000n],
  ],
  'too little twice, and both taken back': [
    ['final', 'a', 6_000n],
    ['final', 'b', 5_000n],
    ['reversed', 'a', 6_000n],
    ['reversed', 'b', 5_000n],
  ],
}
for (const [name, facts] of Object.entries(cases)) {
  it(`what is told at once ends like what is told one by one: ${name}`, async () => {
    const ends = []
    for (const together of [false, true]) {
      const { id } = await readyToPay(exchange)
      await tell(id, facts, together)
      const {
        status,
        status_details: details,
        from_amount: arrived,
        status_history: history,
      } = await read(exchange, id)
      const [row] = await lookup<{ status_changes: number; events: number; counted: string }>(
        exchange,
        `select status_changes, events, (select count(*) from events where stream = public_id) as counted from transactions where public_id = $1`,
        [id],
      )
      ends.push({
        status,
        details,
        arrived,
        status_changes: history.length,
        row,
        owed: await bookBalance(exchange, `customer:${id}`, 'EUR-EUR'),
      })
    }
    assert.deepEqual(ends[1], ends[0])
  })
}

it('what is told at once is booked as what is told one by one', () => assertBooksHold(exchange))
