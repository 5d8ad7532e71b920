import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { until } from '../support/telling.ts'
import { whileChanged } from '../support/while-changed.ts'

type Whole = {
  transaction: { id: string; status: string; output_hash: string | null }
  history: { status: string }[]
  postings: { kind: string; debit: string; credit: string; asset: string; amount: string }[]
  jobs: { kind: string }[]
  events: { sequence: number }[]
}

let exchange: Exchange
let cambio: CommandLine['cambio']
let told: CommandLine['told']

before(async () => {
  exchange = await startExchange()
  ;({ cambio, told } = commandLineOf(exchange))
})
after(() => exchange.stop())

/** Lets something go wrong behind the service's back while `look` looks, and takes it back. */
const broken = (change: string, mend: string, look: () => Promise<void>): Promise<void> =>
  whileChanged(exchange, { change, mend }, look)

type Plant = { change: string; mend: string; what: string; waitsFor: RegExp }

/** A job, as if nobody had done it. */
const job = (columns: string, values: string, waitsFor: RegExp): Plant => ({
  change: `insert into jobs (kind, key, timebase, ${columns}) values ('a', 'b', 'real', ${values})`,
  mend: `delete from jobs where kind = 'a'`,
  what: 'job a b',
  waitsFor,
})

/** The finished transaction, as if it had come to another status long ago and stayed there. */
const rested = (id: string, status: string, since: string, waitsFor: RegExp): Plant => {
  const moved = (sign: '-' | '+') => `update status_history set at = at ${sign} interval '${since}'
    from transactions where transactions.id = transaction_id and public_id = ${id}`
  const standing = (status: string) => `update transactions set status = '${status}' where public_id = ${id}`
  return {
    change: `${moved('-')}; ${standing(status)}`,
    mend: `${moved('+')}; ${standing('finished')}`,
    what: `${status === 'on_hold' ? 'hold' : 'unknown_payout'} ${id}`,
    waitsFor,
  }
}

const plantsFor = (id: string): Plant[] => [
  job(
    'run_at, attempts, last_error',
    `now() + '1 h', 1, 'Broken.'`,
    /^Work fails and is tried again by itself: background work\. Attempts so far: 1\. /,
  ),
  job('run_at', `now() - interval '2 min'`, /^Work is due and no server does it: background work\. /),
  rested(id, 'on_hold', '25 h', /is on hold\./),
  rested(
    id,
    'exchanging',
    '6 min',
    /its payout of [\d.]+ USDT on TRX through sandbox-trx has not been sent yet\. If that lasts, tell the people who run the servers\.$/,
  ),
  rested(id, 'sending', '1 h', /sandbox-trx has not confirmed the payout of /),
  {
    change: `update transactions set status = 'new', expires_at = expires_at - interval '11 d', created_at = created_at - interval '11 d' where public_id = ${id}`,
    mend: `update transactions set status = 'finished', expires_at = expires_at + interval '11 d', created_at = created_at + interval '11 d' where public_id = ${id}`,
    what: `job ${id}`,
    waitsFor: /its time to pay is over, and it has not been ended\./,
  },
  {
    change: `update transactions set status = 'exchanging'; update payouts set state = 'waiting', plan_id = null`,
    mend: `update transactions set status = 'finished'; update payouts set state = 'paid', plan_id = (select id from plans)`,
    what: 'balance wallet-trx USDT-TRX',
    waitsFor: /^Too little money at wallet-trx: payouts that need [\d.]+ USDT on TRX wait for it \(1\)\./,
  },
]

describe('one transaction', () => {
  let id: string
  const show = () => told<Whole>('transaction', 'show', id)

  before(async () => {
    const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'USDT', to_network: 'TRX' }
    id = (await exchange.api<{ id: string }>('/v1/transaction', { body })).body.id
  })

  it('is shown with what is still to be done', async () => {
    const { transaction, jobs, postings } = await show()
    assert.equal(transaction.id, id)
    assert.deepEqual(
      jobs.map(({ kind }) => kind),
      ['transaction.deadline'],
    )
    assert.deepEqual(postings, [])
  })

  it('is shown with everything that happened', async () => {
    await exchange.api(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
    await exchange.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
    await until(async () => (await exchange.api(`/v1/transaction/${id}`)).body.status === 'finished')

    const { transaction, history, postings, events } = await show()
    const statuses = ['new', 'waiting_for_deposit', 'exchanging', 'sending', 'finished']
    assert.deepEqual(
      history.map(({ status }) => status),
      statuses,
    )
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5],
    )
    assert.ok(transaction.output_hash)
    const [deposit] = postings
    assert.deepEqual(
      [deposit?.kind, deposit?.credit, deposit?.asset, deposit?.amount],
      ['deposit', `customer:${id}`, 'EUR-EUR', '100'],
    )
    assert.deepEqual([...new Set(postings.map(({ asset }) => asset))], ['EUR-EUR', 'USDT-TRX', 'TRX-TRX'])
  })

  it('is shown with the jobs of its facts, payouts, plans and letters, and of no other thing with the same number', async () => {
    const later = `'real', now() + '1 h'`
    const plant = `insert into jobs (kind, key, timebase, run_at)
      select 'fact.received', id::text, ${later} from rail_events union all
      select 'plan.due', id::text, ${later} from rail_events union all
      select 'payout.due', id::text, ${later} from payouts union all
      select 'plan.due', id::text, ${later} from plans`
    await broken(plant, `delete from jobs where run_at > now() + '55 min'`, async () => {
      const kinds = (await show()).jobs.map(({ kind }) => kind).toSorted()
      assert.deepEqual(kinds, ['fact.received', 'payout.due', 'plan.due', 'transaction.deadline'])
    })
  })

  it('has prices that recompute to the last digit, and a changed digit is found', async () => {
    const { agrees, quotes } = await told<{ agrees: boolean; quotes: { number: number }[] }>('price', 'explain', id)
    assert.deepEqual([agrees, quotes.map(({ number }) => number)], [true, [1]])

    const other = `update quotes set quote = replace(quote::text, '"networkFee":"2"', '"networkFee":"3"')::json`
    const same = `update quotes set quote = replace(quote::text, '"networkFee":"3"', '"networkFee":"2"')::json`
    await broken(other, same, async () => {
      const { exitCode, out } = await cambio('price', 'explain', id)
      assert.equal(exitCode, 1)
      assert.match(out, /DOES NOT AGREE/)
    })
    assert.equal((await cambio('price', 'explain', id)).exitCode, 0)
  })

  it('verify finds nothing, and with one posting changed says so and exits with 1', async () => {
    assert.deepEqual(await told('verify'), { ok: true, problems: [] })

    const change = (by: string) =>
      `update postings set amount = amount ${by} where credit = 'customer:${id}' and line = 1`
    await broken(change('+ 1'), change('- 1'), async () => {
      const { exitCode, out } = await cambio('verify', '--json')
      const { ok, problems } = JSON.parse(out) as { ok: boolean; problems: string[] }
      assert.deepEqual([exitCode, ok], [1, false])
      assert.match(problems[0] ?? '', /^Entry \d+ \(deposit\) of transaction \d+ was changed after it was booked\.$/)
    })
  })

  it('nothing is stuck, and what is says what it waits for', async () => {
    assert.deepEqual(await told('stuck'), [])

    for (const { change, mend, what, waitsFor } of plantsFor(id)) {
      await broken(change, mend, async () => {
        const stuck =
          await told<{ kind: string; subject: string; transaction_id: string | null; words: string }[]>('stuck')
        assert.equal(stuck.length, 1, what)
        const [one] = stuck
        assert.ok(`${one?.kind} ${one?.subject}`.startsWith(what), what)
        assert.match(one?.words ?? '', waitsFor)
        assert.equal(one?.transaction_id, what.endsWith(` ${id}`) ? id : null)
      })
    }
    assert.deepEqual(await told('verify'), { ok: true, problems: [] })
  })

  it('business time is that of the running service', async () => {
    const fresh = await exchange.api<{ id: string }>('/v1/transaction', {
      body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' },
    })
    await exchange.api('/v1/sandbox/clock', { body: { advance: 'P30D' } })
    const before = await told<{ partner_id: string }>('partner', 'create', 'Later')
    const shown = await told<{ created_at: string }>('partner', 'show', '--partner', before.partner_id)
    assert.ok(new Date(shown.created_at).getTime() - Date.now() > 29 * 86_400_000)
    assert.equal((await told<Whole>('transaction', 'show', fresh.body.id)).transaction.status, 'expired')
    assert.deepEqual(await told('stuck'), [])
  })
})
