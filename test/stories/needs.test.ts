import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { buildAdmin } from '../../src/doors/api/admin.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { metricsOf } from '../../src/app/metrics.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { day, hour, minute, needKinds } from '../../src/exchange/needs/need.ts'
import { needCauses, needSources } from '../../src/exchange/needs/sources.ts'
import { permissionsOf, roles } from '../../src/exchange/operators/roles.ts'
import { findPartners } from '../../src/exchange/partners/known.ts'
import { registerPayoutAddress } from '../../src/exchange/partners/payout-addresses.ts'
import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, lookup } from '../support/journey.ts'
import { needForms, notPlanted, onlyPlanted, saysWho } from '../support/need-forms.ts'
import { needPlants, type NeedPlant, old } from '../support/need-plants.ts'
import { actionOf, formsIn, valuesOf } from '../support/page-forms.ts'
import { read } from '../support/papers.ts'
import { readSources } from '../support/source.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
let id: string
let plants: readonly NeedPlant[]

before(async () => {
  exchange = await startExchange()
  id = (await buy(exchange, { to_currency: 'USDT', to_network: 'TRX' })).id
  const { ctx } = exchange.service.composition
  const url = 'http://127.0.0.1:9/hook'
  const { endpoint } = await addEndpoint(ctx, { partnerId: BigInt(exchange.sandbox.partner_id), url }, 'test')
  await addPayoutAddress(BigInt(exchange.sandbox.partner_id))
  await makeOperators(exchange)
  plants = needPlants(String(endpoint.id))
})
after(() => exchange.stop())

/** An address that B2B transactions may pay out to. */
async function addPayoutAddress(id: bigint): Promise<void> {
  const { ctx } = exchange.service.composition
  const partner = (await findPartners(ctx, [id])).get(id) ?? assert.fail('no partner')
  const details = { address: 'DE89370400440532013000', extraId: '', holder: 'Ann', label: '', intermediary: null }
  const address = { type: 'bank_account', category: 'SEPA', asset: null, details, apart: '' } as const
  await ctx.db.atomic((db) => registerPayoutAddress(ctx, db, { partner, actor: 'test' }, address))
}

describe('what needs a person', () => {
  before(async () => {
    // What looks by itself would mend what is planted.
    const { ctx, relay, sender } = exchange.service.composition
    await relay.stop()
    await sender.stop()
    await ctx.queue.stop()
    await lookup(exchange, `update webhook_endpoints set status = 'paused'`)
  })

  it('is nothing while everything goes its way', async () => {
    assert.deepEqual(await listNeeds(exchange.service.composition.ctx), [])
  })

  it('is found once, of every kind and for every cause, with a sentence for a person, on the first page and gone when it is over', async () => {
    const { ctx } = exchange.service.composition
    const { ask, as } = staffBrowser(() => exchange)
    const admin = await as('admin')
    const rowsOf = async () =>
      [...(await ask('/console', { cookie: admin })).body.matchAll(/data-need="(\w+)"/g)].map(([, kind]) => kind)
    for (const { found, change, mend, sentence, holdsUp } of plants) {
      await lookup(exchange, change)
      await ctx.markets.refresh()
      const needs = await listNeeds(ctx)
      const shown = await rowsOf()
      await lookup(exchange, mend)
      await ctx.markets.refresh()
      assert.deepEqual(
        needs.map(({ kind, cause }) => `${kind} ${cause}`),
        [found],
      )
      const [one] = needs
      assert.deepEqual(shown, [one?.kind])
      assert.match(one?.sentence ?? '', sentence)
      assert.doesNotMatch(one?.sentence ?? '', /[`{}]|cambio|  /, 'words for a person, and no command')
      assert.equal(one?.order, holdsUp === false ? null : BigInt(id), found)
    }
    assert.deepEqual(await listNeeds(ctx), [])
    assert.deepEqual(await rowsOf(), [])
    // What depends on settings or on many pairs is caused in files with such settings.
    const elsewhere = [
      'approval operator key',
      'backup never',
      'backup key',
      'balance low',
      'hedge capped',
      'hedge refused',
      'hedge short',
      'hedge unfilled',
      'hedge unpriced',
      'hold on_hold payer',
      'suspense debit',
      'unknown_payout payee close',
      'unknown_payout payee none',
      'unknown_payout payout unsure',
      'market jumped',
      'market stale',
      'market all stale',
    ]
    assert.deepEqual(
      [...plants.map(({ found }) => found), ...elsewhere].toSorted(),
      needCauses.map(({ kind, cause }) => `${kind} ${cause}`).toSorted(),
    )
    assert.deepEqual(new Set(needCauses.map(({ kind }) => kind)), new Set(needKinds))
  })

  it('is caused for real by a story, of every kind, and for every cause except those that are listed', () => {
    const begun = readSources('test/stories').flatMap(({ text }) => [...text.matchAll(/\bbegins\(\s*'([^']+)'/g)])
    const caused = new Set(begun.map(([, what = '']) => what))
    const all = needCauses.map(({ kind, cause }) => ({ kind, name: `${kind} ${cause}` }))
    assert.deepEqual(
      needKinds.filter((kind) => !all.some((one) => one.kind === kind && caused.has(one.name))),
      [],
    )
    const left = all.flatMap(({ name }) => (caused.has(name) ? [] : [name]))
    assert.deepEqual(left.toSorted(), onlyPlanted)
  })

  it('leads everybody who is shown it to a form that ends it, or says who does', async () => {
    const { ctx } = exchange.service.composition
    const { ask, as } = staffBrowser(() => exchange)
    const cookies = await Promise.all(roles.map(async (role) => [role, await as(role)] as const))
    const lost: string[] = []
    const named = (name: string) => allActions.flatMap(([, all]) => all.filter((one) => one.name === name))
    for (const { kind, causes, permission } of needSources)
      for (const [cause, { sentence }] of Object.entries(causes)) {
        const forms = needForms[`${kind} ${cause}`]?.flatMap(named)
        for (const role of roles.filter((one) => forms && permissionsOf[one].has(permission)))
          if (!forms?.some((form) => permissionsOf[role].has(form.permission))) lost.push(`${kind} ${cause}: ${role}`)
        if (!forms && !saysWho.test(sentence)) lost.push(`${kind} ${cause}: ${sentence}`)
      }
    for (const { found, change, mend } of plants) {
      const forms = needForms[found]
      if (!forms || notPlanted.includes(found)) continue
      await lookup(exchange, change)
      await ctx.markets.refresh()
      const [need] = await listNeeds(ctx)
      const seen = cookies.filter(([role]) => need && permissionsOf[role].has(need.permission))
      const pages = await Promise.all(seen.map(([, cookie]) => ask(need?.page ?? '', { cookie })))
      await lookup(exchange, mend)
      if (seen.length === 0) lost.push(found)
      for (const [at, { status, body }] of pages.entries())
        if (status !== 200 || !forms.some((name) => body.includes(`name="action" value="${name}"`)))
          lost.push(`${found}: ${seen[at]?.[0]} at ${need?.page} has none of ${forms.join(', ')}`)
    }
    assert.deepEqual(lost, [])
    await ctx.markets.refresh()
  })

  it('comes in the order of its urgency, then of what is at stake in EUR, whoever came first, at home and by command', async () => {
    const { ask, as } = staffBrowser(() => exchange)
    const transfer = (id: number, asset: string, amount: string, since: string) =>
      `insert into rebalances (id, source, destination, account, asset, amount, reference, state, reason, proposed_by, proposed_at)
       values (${id}, 'a', 'b', 'account-${id}', '${asset}', ${amount}, 'r-${id}', 'proposed', 'a test', 'system', '${since}')`
    const long = '2026-01-02T03:04:05.000Z'
    const plant = (found: string) => plants.find((one) => one.found === found) ?? assert.fail(found)
    const [hedge, policy, order] = ['approval hedge', 'approval policy', 'hold on_hold underpaid'].map(plant)
    assert.ok(hedge && policy && order)
    // The greatest stake of all is the least urgent, and the oldest has less at stake than another one that is as urgent.
    await lookup(
      exchange,
      [
        order.change,
        policy.change,
        transfer(1, 'EUR-EUR', '1234', long),
        transfer(2, 'EUR-EUR', '987654', '2026-02-02T03:04:05.000Z'),
        hedge.change,
      ].join(';'),
    )
    type Row = {
      kind: string
      cause: string
      subject: string
      urgency: string
      stake_eur: string | null
      since: string
    }
    const rows = await commandLineOf(exchange).told<Row[]>('stuck')
    const { body } = await ask('/console', { cookie: await as('admin') })
    await lookup(exchange, [order.mend, policy.mend, 'delete from rebalances', hedge.mend].join(';'))
    assert.deepEqual(
      rows.map(({ cause, urgency, subject }) =>
        [urgency, cause, ...(cause === 'rebalance' ? [subject] : [])].join(' '),
      ),
      ['now hedge', 'today rebalance 2', 'today rebalance 1', 'today policy', 'later on_hold underpaid'],
    )
    assert.deepEqual(
      [...body.matchAll(/data-need="(\w+)" data-cause="([\w ]+)" data-subject="([^"]*)"/g)].map(([, ...one]) => one),
      rows.map(({ kind, cause, subject }) => [kind, cause, subject]),
    )
    const [first, second, third, unpriced, last] = rows
    assert.deepEqual([second?.stake_eur, third?.stake_eur, unpriced?.stake_eur], ['9876.54', '12.34', null])
    for (const one of [first, last]) assert.match(one?.stake_eur ?? '', /^\d+(\.\d+)?$/)
    assert.ok(Number(last?.stake_eur) > 12.34, 'the least urgent has not the least at stake')
    assert.equal(third?.since, long)
    for (const { since } of rows) assert.equal(new Date(since).toISOString(), since)
  })

  it('is ended in the row of the pair that is halted, and at no other one', async () => {
    const { ask, as } = staffBrowser(() => exchange)
    const [cookie, path] = [await as('support'), '/console/prices']
    const resuming = async () =>
      formsIn((await ask(path, { cookie })).body, path).filter((form) => actionOf(form) === 'resume')
    assert.deepEqual(await resuming(), [])
    const { change, mend } = plants.find(({ found }) => found === 'market halted') ?? assert.fail('no plant')
    await lookup(exchange, change)
    const pairs = (await resuming()).map((form) => valuesOf(form).pair)
    await lookup(exchange, mend)
    assert.deepEqual(pairs, ['BTC/EUR'])
  })

  it('is no approval that nobody of ours wrote: the need stays what it was', async () => {
    const { ctx } = exchange.service.composition
    const forged = plants.filter(({ change }) => change.includes('carried_over'))
    assert.deepEqual(forged.map(({ found }) => found).toSorted(), [
      'approval bank booking',
      'approval bank file',
      'approval payment end',
      'approval resume',
    ])
    for (const { found, change, mend } of forged) {
      await lookup(exchange, `${change}; update approvals set carried_over = false where stamp is null`)
      const needs = await listNeeds(ctx)
      await lookup(exchange, mend)
      assert.ok(
        needs.every(({ kind }) => kind !== 'approval'),
        found,
      )
    }
  })

  it('is in the documentation of operators with each cause', () => {
    const page = read('docs/operator/metrics.md')
    const rows = [
      ...page.matchAll(/^\| (\w+) \| ([a-z_ ]+) \| (now|today|later) \| (at once|\d+ (?:min|h|d)) \| (.+) \|$/gm),
    ]
    const times = (ms = 0): string =>
      ms === 0 ? 'at once' : ms < hour ? `${ms / minute} min` : ms < day ? `${ms / hour} h` : `${ms / day} d`
    assert.deepEqual(
      rows.map(([, ...cells]) => cells),
      needSources.flatMap(({ kind, causes }) =>
        Object.entries(causes).map(([cause, { urgency, afterMs, sentence }]) => [
          kind,
          cause,
          urgency,
          times(afterMs),
          sentence,
        ]),
      ),
    )
  })

  it('is in the metrics, with zeros where there is nothing', async () => {
    const { ctx } = exchange.service.composition
    await lookup(exchange, `insert into halts (name, since, reason) values ('sandbox-btc', ${old('900 s')}, 'a test')`)
    const app = buildAdmin(ctx, { gauges: metricsOf(ctx) })
    const { payload } = await app.inject('/metrics')
    await app.close()
    await lookup(exchange, 'delete from halts')
    assert.match(payload, /^cambio_stuck\{kind="rail",cause="crediting"\} 1$/m)
    assert.match(payload, /^cambio_stuck_oldest_seconds\{kind="rail",cause="crediting"\} 9\d\d$/m)
    assert.match(payload, /^cambio_stuck\{kind="unknown_payout",cause="unknown"\} 0$/m)
    assert.match(payload, /^cambio_transactions_open\{status="waiting_for_deposit"\} 0$/m)
    assert.match(payload, /^cambio_rails_halted 1$/m)
    assert.match(payload, /^cambio_deposits_in_suspense 0$/m)
    assert.match(payload, /^cambio_webhooks_undelivered 0$/m)
    assert.match(payload, /^cambio_readings_failed 0$/m)
  })
})
