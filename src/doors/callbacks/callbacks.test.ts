import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { fastify, type FastifyInstance } from 'fastify'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { servingRail } from '../../../test/support/every-rail.ts'
import type { Ctx } from '../../exchange/context.ts'
import { railEventReceived } from '../../exchange/settlement/rail-event.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Rail, RailEvent } from '../../rails/rail.ts'
import { openRegistry } from '../../rails/registry.ts'
import { callbackRoutes } from './routes.ts'

let ctx: Ctx
let app: FastifyInstance
/** What happens at the provider while a call is being verified. */
let lookUp: () => Promise<void> = () => Promise.resolve()

const event = (key: string, kind: RailEvent['kind'] = 'unknown'): RailEvent => ({
  key,
  kind,
  reference: 'nobody has this',
  payment: key,
  asset: 'EUR-EUR',
  amount: 1n,
  body: {},
})

/** A rail that reads keys, one a line, after a signature; its provider wants its own reply. */
const lines: Rail = {
  ...servingRail([{ directions: ['deposit'], categories: ['VISA_MC'], networks: 'any' }], 'lines'),
  readCallback: async ({ body, headers }) => {
    if (headers['x-secret'] !== 'secret') throw new Refusal('SIGNATURE_INVALID', 'The signature does not match.')
    await lookUp()
    const events = body.split('\n').map((key) => event(key))
    return { events, reply: { status: 202, contentType: 'text/plain', body: '[accepted]' } }
  },
}

const { deposit: _, ...withoutDeposits } = servingRail([], 'payer')
const payer: Rail = {
  ...withoutDeposits,
  readCallback: ({ body }) => Promise.resolve({ events: [event(body, 'payout_settled')] }),
}

before(async () => {
  ctx = await testContext(await testDatabase())
  ctx.rails = openRegistry([lines, payer, servingRail([], 'silent')])
  app = fastify()
  await app.register(async (scope) => callbackRoutes(ctx)(scope))
})
after(async () => {
  await app.close()
  await ctx.db.close()
})

const call = (name: string, body: string, headers: Record<string, string> = { 'x-secret': 'secret' }) =>
  app.inject({ method: 'POST', url: `/callbacks/${name}`, headers: { 'content-type': 'text/plain', ...headers }, body })
const stored = async (): Promise<string[]> =>
  (await ctx.db.sql<{ event_key: string }>`select event_key from rail_events order by id`).map((row) => row.event_key)

test('several events of one call are stored in their order, each once, and the rail’s own reply is sent', async () => {
  const answer = await call('lines', 'a\nb\nc')
  assert.deepEqual([answer.statusCode, answer.body], [202, '[accepted]'])
  assert.match(String(answer.headers['content-type']), /^text\/plain/)
  assert.deepEqual(await stored(), ['a', 'b', 'c'])
  await call('lines', 'c\na\nd')
  assert.deepEqual((await stored()).toSorted(), ['a', 'b', 'c', 'd'])
  const jobs = await ctx.db.sql<{ count: bigint }>`select count(*) from jobs where kind = ${railEventReceived}`
  assert.equal(jobs[0]?.count, 4n)
})

test('a rail that makes payouts only is called back too', async () => {
  const answer = await call('payer', 'p1')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { received: true }])
  assert((await stored()).includes('p1'))
})

test('nothing is kept of a call that does not prove its sender, and nobody else has a callback', async () => {
  const before = await stored()
  assert.notEqual((await call('lines', 'x', {})).statusCode, 200)
  assert.notEqual((await call('silent', 'x')).statusCode, 200)
  assert.notEqual((await call('nobody', 'x')).statusCode, 200)
  assert.deepEqual(await stored(), before)
})

test('a look-up runs outside of any block, and one that fails loses no other call', async () => {
  let failing = true
  lookUp = async () => {
    await ctx.db.sql`select 1`
    if (failing) throw new Error('The provider does not answer.')
  }
  assert.equal((await call('lines', 'late')).statusCode, 500)
  failing = false
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => call('lines', `many ${index}`)))
  assert(answers.every(({ statusCode }) => statusCode === 202))
  assert.equal((await call('lines', 'late')).statusCode, 202)
  assert((await stored()).includes('late'))
})
