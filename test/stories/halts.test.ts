import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { metricsOf } from '../../src/app/metrics.ts'
import { buildAdmin } from '../../src/doors/api/admin.ts'
import { halt } from '../../src/exchange/settlement/halts.ts'
import type { PayoutHalf } from '../../src/rails/rail.ts'
import { type CommandLine, commandLineOf, type Ended, runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, lookup, pay, read, readyToPay, settled } from '../support/journey.ts'
import { until } from '../support/telling.ts'

type Halted = { status: string; scope: string; name: string | null; under_way: number }

let exchange: Exchange
let told: CommandLine['told']
let tokens: [ann: string, bob: string]

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  ;({ told } = commandLineOf(exchange))
  const tokenOf = async (email: string) => {
    await told('operator', 'create', email)
    return (await told<{ token: string }>('operator', 'token', email)).token
  }
  tokens = [await tokenOf('ann@example.com'), await tokenOf('bob@example.com')]
})
after(() => exchange.stop())

const why = ['--reason', 'a drill']

const resumedBy = (token: string, ...what: string[]): Promise<Ended> => {
  const env = { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir, OPERATOR_TOKEN: token }
  return runCommand(['resume', ...what, ...why, '--json'], env)
}

/** Halts, does something, and lets two operators resume. */
async function whileHalted(what: string[], work: () => Promise<void>): Promise<void> {
  const halted = await told<Halted>('halt', ...what, ...why)
  assert.deepEqual([halted.status, halted.scope, halted.under_way], ['halted', what[0], 0])
  await until(async () => (await stateOf()) === stateAfter(what), 'every process to know')
  await work()
  const [ann, bob] = tokens
  assert.deepEqual(JSON.parse((await resumedBy(ann, ...what)).out), { status: 'waiting_for_second_operator' })
  const again = await resumedBy(ann, ...what)
  assert.deepEqual(
    [again.exitCode, again.err.trim()],
    [1, 'You have asked to resume this already: another operator must, too.'],
  )
  assert.deepEqual(JSON.parse((await resumedBy(bob, ...what)).out), { status: 'resumed' })
  assert.equal((await resumedBy(bob, ...what)).exitCode, 1)
  await until(async () => (await stateOf()) === 'open', 'every process to know again')
}

/** What this exchange's process knows. */
const stateOf = (): Promise<string> => {
  const { all, payouts, rails, assets } = exchange.service.composition.ctx.halts.now()
  const names = [all && 'all', !all && payouts && 'payouts', ...rails, ...assets].filter(Boolean)
  return Promise.resolve(names.join() || 'open')
}
const stateAfter = ([scope = '', name = '']: string[]): string => name || scope

const estimate = () => exchange.api('/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=100')
const sentTo = async (id: string): Promise<unknown[]> =>
  lookup(
    exchange,
    `select 1 from payouts join plans on plans.id = plan_id join transactions on transactions.id = transaction_id
     where public_id = $1 and plans.state <> 'planned'`,
    [id],
  )

/** Something to wait for, and what ends the wait. */
function gate(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

describe('a halt', () => {
  it('of payouts lets orders continue, and nothing leaves until two operators resume', async () => {
    const { id } = await readyToPay(exchange)
    await whileHalted(['payouts'], async () => {
      await pay(exchange, id)
      await arrive(exchange, id, 'exchanging')
      const other = await readyToPay(exchange)
      await pay(exchange, other.id)
      await arrive(exchange, other.id, 'exchanging')
      const status = await exchange.api('/v1/status')
      assert.deepEqual([status.status, status.body.payouts, status.body.available], [200, 'halted', true])
      const stuck = await told<{ kind: string; subject: string; words: string }[]>('stuck')
      const found = stuck.find(({ kind, subject }) => kind === 'rail' && subject === 'payouts')
      assert.equal(found?.words, 'No payout leaves: a drill. They continue once two operators resume them.')
      const app = buildAdmin(exchange.service.composition.ctx, { gauges: metricsOf(exchange.service.composition.ctx) })
      const { payload } = await app.inject('/metrics')
      await app.close()
      assert.match(payload, /^cambio_halts\{scope="payouts"\} 1$/m)
      assert.match(payload, /^cambio_halts\{scope="all"\} 0$/m)
      assert.deepEqual(await sentTo(id), [])
    })
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
    const audit = await told<{ action: string; actor: string }[]>('audit', 'list', '--limit', '50')
    const ofHalts = audit.filter(({ action }) => action.startsWith('halt.')).toReversed()
    assert.deepEqual(
      ofHalts.map(({ action }) => action),
      ['halt.set', 'halt.resume_requested', 'halt.resumed'],
    )
    assert.notEqual(ofHalts[1]?.actor, ofHalts[2]?.actor)
  })

  it('of everything refuses orders, and books the money that arrives', async () => {
    const { id } = await readyToPay(exchange, { from_currency: 'BTC', to_currency: 'EUR', from_amount: '0.01' })
    await whileHalted(['all'], async () => {
      const refused = await estimate()
      assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE'])
      assert.equal(refused.headers.get('retry-after'), '60')
      const body = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }
      assert.equal((await exchange.api('/v1/transaction', { body })).status, 503)
      const currencies = await exchange.api<{ is_available: boolean }[]>('/v1/currencies/fiat')
      assert(currencies.body.every(({ is_available: open }) => !open))
      const { status, body: down } = await exchange.api('/v1/status')
      const paths = (down.errors as { path: string; code: string }[]).map((one) => `${one.path} ${one.code}`)
      assert.deepEqual([status, paths], [503, ['orders HALTED', 'payouts HALTED']])
      const before = await bookBalance(exchange, 'held:wallet-btc', 'BTC-BTC')
      await pay(exchange, id)
      await arrive(exchange, id, 'exchanging')
      assert((await bookBalance(exchange, 'held:wallet-btc', 'BTC-BTC')) > before)
      assert.deepEqual(await sentTo(id), [])
    })
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
  })

  it('of a rail takes what only it serves off the offer, and credits what arrived once it has ended', async () => {
    const { id } = await readyToPay(exchange, { from_currency: 'BTC', to_currency: 'EUR', from_amount: '0.01' })
    await whileHalted(['rail', 'sandbox-btc'], async () => {
      const rails = await told<{ name: string; halted_by: string | null; halted_reason: string | null }[]>(
        'rail',
        'list',
      )
      const rail = rails.find(({ name }) => name === 'sandbox-btc')
      assert.match(`${rail?.halted_by} ${rail?.halted_reason}`, /^cli:\S+ a drill$/)
      const refused = await estimate()
      assert.deepEqual([refused.status, refused.body.code], [400, 'PAIR_NOT_AVAILABLE'])
      await pay(exchange, id)
      const waits = `select 1 from jobs join rail_events on key = rail_events.id::text
        where jobs.kind = 'fact.received' and timebase = 'real' and rail_events.kind = 'deposit_final'`
      await until(async () => (await lookup(exchange, waits)).length > 0, 'the deposit to wait')
      assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    })
    await arrive(exchange, id, 'finished')
    await settled(exchange)
    await assertBooksHold(exchange)
  })

  it('of an asset leaves the others alone', async () => {
    await whileHalted(['asset', 'BTC-BTC'], async () => {
      const refused = await estimate()
      assert.deepEqual([refused.status, refused.body.message], [400, 'BTC is not available at the moment.'])
      const other = await exchange.api('/v1/estimate?from_currency=EUR&to_currency=ETH&from_amount=100')
      assert.equal(other.status, 200)
    })
    assert.equal((await estimate()).status, 200)
  })

  it('is refused for what does not exist, and resuming for what is not halted', async () => {
    const { cambio } = commandLineOf(exchange)
    for (const args of [
      ['halt', 'rail', 'nowhere'],
      ['halt', 'asset', 'BTC'],
      ['resume', 'payouts'],
    ]) {
      assert.equal((await cambio(...args, ...why)).exitCode, 1, args.join(' '))
    }
    assert.equal((await cambio('halt', 'payouts', '--reason', ' ')).exitCode, 2)
  })

  it('returns once the payments that were being submitted have left, and none leaves after it', async () => {
    const { ctx } = exchange.service.composition
    const half = ctx.rails.payout('sandbox-btc')?.payout as { submit: PayoutHalf['submit'] }
    const { submit } = half
    const [began, letGo] = [gate(), gate()]
    const submitted: string[] = []
    let second = ''
    half.submit = async (plan) => {
      began.resolve()
      await letGo.promise
      submitted.push(plan.key)
      await submit(plan)
    }
    try {
      const first = await readyToPay(exchange)
      second = (await readyToPay(exchange)).id
      await pay(exchange, first.id)
      await began.promise
      let returned = false
      const halting = halt(ctx, { scope: 'payouts', name: '' }, { reason: 'a drill', actor: 'test' })
      const seen = halting.then((halted) => {
        returned = true
        return halted
      })
      await until(() => Promise.resolve(ctx.halts.now().payouts), 'the halt to hold')
      await pay(exchange, second)
      await arrive(exchange, second, 'exchanging')
      assert(!returned, 'a payment is still being submitted')
      letGo.resolve()
      assert.equal((await seen).underWay, 0)
      assert.equal(submitted.length, 1)
      // Prepared before the halt, not submitted yet: it stays.
      await lookup(exchange, `update jobs set run_at = now() where kind = 'plan.due'`)
      ctx.queue.wake()
      await settled(exchange)
      assert.equal(submitted.length, 1)
    } finally {
      letGo.resolve()
      half.submit = submit
      for (const token of tokens) await resumedBy(token, 'payouts')
      await until(async () => (await stateOf()) === 'open', 'the halt to end')
      await arrive(exchange, second, 'finished')
    }
    await assertBooksHold(exchange)
  })

  it('keeps a payment that is prepared already from being submitted', async () => {
    const { ctx } = exchange.service.composition
    const half = ctx.rails.payout('sandbox-btc')?.payout as { prepare: PayoutHalf['prepare'] }
    const { prepare } = half
    // The halt comes between the block that prepares the payment and the job that submits it.
    half.prepare = async (orders) => {
      await lookup(
        exchange,
        `insert into halts (scope, since, reason) values ('payouts', now(), 'a drill') on conflict do nothing`,
      )
      return prepare(orders)
    }
    try {
      const { id } = await readyToPay(exchange)
      await pay(exchange, id)
      await arrive(exchange, id, 'sending')
      await until(async () => {
        const jobs = await lookup(exchange, `select 1 from jobs where kind = 'plan.due' and lease_until is null`)
        return jobs.length > 0
      }, 'the payment to wait')
      assert.deepEqual(await sentTo(id), [])
      half.prepare = prepare
      await lookup(exchange, 'delete from halts')
      await arrive(exchange, id, 'finished')
    } finally {
      half.prepare = prepare
      await lookup(exchange, 'delete from halts')
    }
    await assertBooksHold(exchange)
  })
})
