import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { checkNode, examine } from '../../src/exchange/checks/doctor.ts'
import type { Rail } from '../../src/rails/rail.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, lookup } from '../support/journey.ts'
import { projectFolder } from '../support/source.ts'

type State = 'ok' | 'warn' | 'fail'
type Report = {
  ok: boolean
  problems: { check: string; message: string }[]
  checks: { check: string; state: State; message: string }[]
}

let exchange: Exchange
let cambio: CommandLine['cambio']
let told: CommandLine['told']

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  ;({ cambio, told } = commandLineOf(exchange))
  await buy(exchange)
})
after(() => exchange.stop())

/** What the command says, and how it ends. */
async function doctor(): Promise<Report & { exitCode: number | null; states: Map<string, State> }> {
  const { exitCode, out } = await cambio('doctor', '--json')
  const report = JSON.parse(out) as Report
  return { ...report, exitCode, states: new Map(report.checks.map(({ check, state }) => [check, state])) }
}

/** What the process of the exchange says of one of its rails after a change. */
async function railAfter(
  change: Partial<Rail>,
  outsideTimeoutMs = exchange.service.composition.ctx.config.outsideTimeoutMs,
): Promise<{ state: State; message: string } | undefined> {
  const { ctx } = exchange.service.composition
  const all = ctx.rails.all.map((rail) => (rail.name === 'sandbox-btc' ? { ...rail, ...change } : rail))
  const config = { ...ctx.config, outsideTimeoutMs }
  const checks = await examine({ ...ctx, config, rails: { ...ctx.rails, all } })
  return checks.find(({ check }) => check === 'rail sandbox-btc')
}

describe('cambio doctor', () => {
  it('sees the wallets of its own networks after a command for an exchange on a test network, in one process', async () => {
    const file = join(exchange.dataDir, 'regtest.yaml')
    const account =
      'tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVMvcRbvFcAHGkMD5Kx8koh4GquNGNTfohfk7pgjhaPCdXpoba'
    const rail = {
      kind: 'bitcoin',
      name: 'btc',
      nodes: ['http://127.0.0.1:1'],
      network: 'regtest',
      account_key: account,
    }
    writeFileSync(file, JSON.stringify({ rails: [rail] }))
    const { out } = await commandLineOf(exchange, { CONFIG_FILE: file }).cambio('verify', '--json')
    assert.match(out, /sandbox-btc holds 0 BTC/, 'its address is another one there')
    assert.deepEqual(await told('verify'), { ok: true, problems: [] })
    assert.deepEqual((await doctor()).problems, [])
  })

  it('finds no problem in a sandbox that runs, and advises what it lacks', async () => {
    const { ok, exitCode, problems, states } = await doctor()
    assert.deepEqual([ok, exitCode, problems], [true, 0, []])
    for (const check of [
      'database version',
      'database role',
      'clock',
      'prices',
      'rail sandbox-btc',
      'balances',
      'webhooks',
    ]) {
      assert.equal(states.get(check), 'ok', check)
    }
    for (const check of ['halts', 'jobs', 'workers', 'database tls']) assert.equal(states.get(check), 'ok', check)
    for (const check of ['mail', 'master key', 'database backup']) assert.equal(states.get(check), 'warn', check)
    const { out } = await cambio('doctor')
    assert.match(out, /^CHECK +STATE\n/)
    assert.match(out, /No problems found\.\n$/)
  })

  it('warns of a Node that is past its end of life', async () => {
    const states = ['20.19.0', '22.12.0', '24.1.0', '26.0.0'].map((version) => checkNode(version).state)
    assert.deepEqual(states, ['warn', 'ok', 'ok', 'ok'])
    assert.equal((await doctor()).states.get('node version'), checkNode(process.versions.node).state)
  })

  it('says how the signer is: away, halted, without caps, or ready', async () => {
    const { ctx } = exchange.service.composition
    const answering = (answer: () => Promise<object>) => ({ call: <T>() => answer() as Promise<T> })
    const status = { halted: null, resumed_by: [], signatures: 3, assets: ['BTC-BTC', 'ETH-ETH'] }
    const cases: [() => Promise<object>, State, RegExp][] = [
      [() => Promise.resolve(status), 'ok', /signed: 3\. .* BTC-BTC, ETH-ETH/],
      [() => Promise.resolve({ ...status, halted: 'h1' }), 'fail', /cambio signer resume/],
      [() => Promise.resolve({ ...status, assets: [] }), 'fail', /no caps/],
      [() => Promise.reject(new Error('The signer cannot be reached (ENOENT).')), 'fail', /cannot be reached/],
      [() => new Promise(() => undefined), 'fail', /no answer within 2 seconds/],
    ]
    for (const [answer, state, message] of cases) {
      const checks = await examine({ ...ctx, signer: answering(answer) })
      const found = checks.find(({ check }) => check === 'signer')
      assert.equal(found?.state, state)
      assert.match(found.message, message)
    }
    assert.ok(!(await examine(ctx)).some(({ check }) => check === 'signer'), 'where there is none')
  })

  it('believes a copy of the master key once it has seen it', async () => {
    const wrong = await cambio('backup', 'confirm', 'key', join(projectFolder, 'package.json'))
    assert.deepEqual([wrong.exitCode, wrong.err.trim()], [1, 'The master key file must hold 64 hex digits.'])
    await told('backup', 'confirm', 'key', join(exchange.dataDir, 'master.key'))
    await told('backup', 'confirm', 'database')
    const { states } = await doctor()
    assert.deepEqual([states.get('master key'), states.get('database backup')], ['ok', 'ok'])
    const [entry] = await told<{ action: string; subject: string }[]>('audit', 'list', '--limit', '1')
    assert.deepEqual([entry?.action, entry?.subject], ['backup.confirmed', 'backup:database'])
  })

  it('fails for what stops customers or can lose money: a halt, a failed job, an unknown hedge', async () => {
    const faults: [change: string, mend: string, check: string][] = [
      [`insert into halts (scope, since, reason) values ('payouts', now(), 'x')`, 'delete from halts', 'halt payouts'],
      [
        `insert into jobs (kind, key, timebase, run_at, attempts) values ('test', '1', 'real', now() + interval '1 h', 2)`,
        `delete from jobs where kind = 'test'`,
        'jobs',
      ],
      [
        `insert into webhook_attempts (endpoint_id, event_id, number, at, took_ms, outcome) values (1, 1, 1, now(), 5, 'failed');
         update webhook_attempts set at = at - interval '2 h' where outcome = 'delivered'`,
        'delete from webhook_attempts where endpoint_id = 1',
        'webhooks',
      ],
      [
        `insert into hedges (id, venue, client_order_id, pair, side, base, quote, amount, limit_price, worth, state, reason,
           proposed_by, proposed_at, sent_at)
         values (1, 'kraken', 'h-1', 'BTC/EUR', 'buy', 'BTC-BTC', 'EUR-EUR', 250000, '90000', 22500, 'unknown', 'a test', 'system',
           now(), now())`,
        'delete from hedges',
        'hedge 1',
      ],
    ]
    for (const [change, mend, check] of faults) {
      await lookup(exchange, change)
      const { ok, exitCode, problems } = await doctor()
      await lookup(exchange, mend)
      assert.deepEqual([ok, exitCode, problems.map((one) => one.check)], [false, 1, [check]])
    }
    assert.equal((await doctor()).ok, true)
  })

  it('says which rail does not answer, answers late, or says that it cannot be used', async () => {
    const down = await railAfter({ check: () => Promise.reject(new Error('refused')) })
    assert.deepEqual([down?.state, down?.message], ['fail', 'It does not answer: refused'])
    const late = await railAfter({ check: () => new Promise(() => undefined) }, 50)
    assert.deepEqual([late?.state, late?.message], ['fail', 'It does not answer: no answer within 0.05 seconds'])
    const unfit = await railAfter({ check: () => Promise.resolve({ ok: false, message: 'Behind by 7 blocks.' }) })
    assert.deepEqual([unfit?.state, unfit?.message], ['fail', 'Behind by 7 blocks.'])
    assert.equal((await railAfter({}))?.state, 'ok')
  })
})
