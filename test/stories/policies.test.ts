import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createOperator } from '../../src/exchange/operators/operator.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { createPartner } from '../../src/exchange/partners/create.ts'
import type { FeesDocument } from '../../src/exchange/policies/fees.ts'
import { commandLineOf, runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, buy, create } from '../support/journey.ts'
import { feesDocument, putInForce } from '../support/policies.ts'
import { until } from '../support/telling.ts'

type Shown = { kind: string; version: number; effective_at: string; document: FeesDocument }
type Compared = { before: number; after: number }
type Made = {
  id: string
  version: number
  status: string
  effective_at: string
  difference: string[]
  dry_run: {
    transactions: number
    revenue: { before: string; after: string; change: string }
    refusals: Compared
    limits: Compared
    holds: Compared
    repriced: Compared
  }
}
type RefusedDocument = {
  ok: boolean
  problems: { path: string; message: string; example?: { pair: string; amount: string; loss: string } }[]
}
type Explained = { policies: Record<string, number>; agrees: boolean; quotes: { policies: Record<string, number> }[] }

let exchange: Exchange
const ctxOf = () => exchange.service.composition.ctx

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, undefined, { policies: 'shipped' })
})
after(() => exchange.stop())

const told = <Value>(...args: string[]): Promise<Value> => commandLineOf(exchange).told<Value>(...args)

async function fileOf(document: unknown): Promise<string> {
  const file = join(exchange.dataDir, 'document.json')
  await writeFile(file, JSON.stringify(document))
  return file
}

const proposed = async (kind: string, document: unknown, ...args: string[]): Promise<Made> =>
  told<Made>('policy', 'propose', kind, await fileOf(document), '--reason', 'A test asks for it.', ...args)

async function refused(kind: string, document: unknown): Promise<RefusedDocument> {
  const line = ['policy', 'propose', kind, await fileOf(document), '--reason', 'A test asks for it.', '--json']
  const { exitCode, out } = await commandLineOf(exchange).cambio(...line)
  assert.equal(exitCode, 1, out)
  return JSON.parse(out) as RefusedDocument
}

const serviceFee = async (key?: string): Promise<string | undefined> => {
  const query = '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC'
  const { body } = await exchange.api<{ service_fees: { name: string; percentage: string }[] }>(
    query,
    key ? { key } : {},
  )
  return body.service_fees.find(({ name }) => name === 'Service fee')?.percentage
}

describe('a policy', () => {
  it('that refuses an order is named in the log with its version, without a word of what was asked', async (t) => {
    const info = t.mock.method(ctxOf().log, 'info')
    const body = { from_amount: '1', from_currency: 'EUR', to_currency: 'BTC', customer_country: 'DE' }
    assert.equal((await exchange.api('/v1/transaction', { body })).status, 400)
    const told = info.mock.calls.map(({ arguments: given }) => given as unknown as [unknown, string])
    assert.deepEqual(told.find(([, message]) => message === 'An order was refused.')?.[0], {
      code: 'BAD_REQUEST',
      problems: ['from_amount: AMOUNT_OUT_OF_RANGE'],
      partner: exchange.sandbox.partner_id,
      policies: { fees: 1, countries: 1 },
    })
  })

  it('is listed and shown: version 1 is what ships', async () => {
    const rows = await told<Shown[]>('policy', 'list')
    assert.equal(rows.length, 13)
    assert.ok(rows.every(({ version, effective_at: at }) => version === 1 && at === '1970-01-01T00:00:00.000Z'))
    const { document } = await told<Shown>('policy', 'show', 'fees')
    assert.deepEqual(document, feesDocument())
  })

  it('of fees holds from its moment on: quotes before, at and after it, and explain shows both versions', async () => {
    const earlier = await buy(exchange)
    const at = new Date(ctxOf().clock.now().getTime() + 3_600_000)
    const dearer = feesDocument({ service: { buy: '2%', sell: '2%', swap: '1%' } })
    const made = await proposed('fees', dearer, '--effective', at.toISOString())
    assert.deepEqual([made.version, made.status, made.effective_at], [2, 'scheduled', at.toISOString()])
    assert.deepEqual(made.difference, [
      'service.buy changes from 1% to 2%.',
      'service.sell changes from 1% to 2%.',
      'service.swap changes from 0.5% to 1%.',
    ])
    assert.equal(made.dry_run.transactions, 1)
    const revenue = Object.values(made.dry_run.revenue).slice(1).map(Number)
    // 100 EUR by card: 1 + 2.5 EUR and 0.5% of the remaining 96.5; with 2%: 4.5 EUR and 0.5% of 95.5.
    assert.deepEqual(revenue, [3.98, 4.97, 0.99])

    const waiting = await create(exchange)
    assert.equal(await serviceFee(), '1%')
    await until(async () => (await told<Shown[]>('policy', 'list'))[0]?.version === 1, 'the list to be read')
    const { version: later } = await told<Shown>('policy', 'show', 'fees', '--at', at.toISOString())
    assert.equal(later, 2)

    const left = at.getTime() - ctxOf().clock.now().getTime()
    await advance(exchange, `PT${Math.ceil(left / 1_000)}S`)
    await until(async () => (await serviceFee()) === '2%', 'the fee of the new version')
    const next = await create(exchange)
    assert.deepEqual(
      [earlier, waiting, next].map(({ policies }) => policies.fees),
      [1, 1, 2],
    )
    for (const [id, version] of [
      [waiting.id, 1],
      [next.id, 2],
    ] as const) {
      const explained = await told<Explained>('price', 'explain', id)
      assert.deepEqual([explained.policies.fees, explained.policies.validity, explained.agrees], [version, 1, true])
    }
    const history = await told<{ version: number; status: string }[]>('policy', 'history', 'fees')
    assert.deepEqual(
      history.map(({ version, status }) => [version, status]),
      [
        [2, 'active'],
        [1, 'superseded'],
      ],
    )
  })

  it('under which a pair would lose money is refused, with the amount', async () => {
    const free = feesDocument({
      service: { buy: '0%', sell: '0%', swap: '0%' },
      methods: {},
      spread: '0%',
      spread_by_side: {},
    })
    const cheap = { ...free, methods: { VISA_MC: '0%' } }
    const { ok, problems } = await refused('fees', cheap)
    assert.equal(ok, false)
    const example = problems.find(({ message }) => message.includes('VISA_MC_1'))?.example
    assert.ok(example, JSON.stringify(problems))
    assert.match(example.pair, /^[A-Z]{3}-[A-Z]{3}_\w+-\w+$/)
    assert.match(example.amount, /^\d+(\.\d+)?$/)
    assert.ok(Number(example.loss) > 0)

    const gift = await refused(
      'fees',
      feesDocument({ spread: '-3%', spread_by_side: {}, service: { buy: '0%', sell: '0%', swap: '0%' } }),
    )
    assert.deepEqual(gift.problems[0], { path: 'spread', message: 'must not be negative' })
    assert.ok(gift.problems.some(({ example: one }) => one !== undefined))
  })

  it('that is invalid or contradicts itself is refused, naming the place', async () => {
    const eur = (max: string, period = 'P30D') => ({ period, currency: 'EUR', max })
    const time = { price: 'PT15M', pay: 'PT30M' }
    const { document: validity } = await told<Shown>('policy', 'show', 'validity')
    const cases: [kind: string, document: unknown, path: string][] = [
      ['fees', { service: { buy: '1%' } }, 'methods'],
      ['fees', feesDocument({ spread: '0.123456789%' }), 'spread'],
      ['limits', { unverified: [eur('1000')], basic: [eur('500')], full: [] }, 'basic[0].max'],
      ['limits', { unverified: [], basic: [eur('500')], full: [] }, 'basic[0].max'],
      ['validity', { ...validity, card: { ...time, price: 'PT31M' } }, 'card.price'],
      ['countries', { blocked: ['XX'], watched: [] }, 'blocked[0]'],
      [
        'screening',
        { hits: { sanctions: 'low', pep: 'low', adverse_media: 'low', crime: 'low', watchlist: 'low' } },
        'hits.sanctions',
      ],
    ]
    for (const [kind, document, path] of cases) {
      const { problems } = await refused(kind, document)
      assert.ok(
        problems.some((one) => one.path === path),
        `${kind}: ${JSON.stringify(problems)}`,
      )
    }
  })

  it('of a partner holds for its exchanges only, until it is withdrawn', async () => {
    const shop = await createPartner(ctxOf(), { name: 'Own' }, 'test')
    const id = String(shop.partner.id)
    const own = feesDocument({ service: { buy: '0.7%', sell: '1%', swap: '0.5%' } })
    const { status } = await proposed('fees', own, '--partner', id)
    assert.equal(status, 'active')
    const others = await serviceFee()
    await until(async () => (await serviceFee(shop.secret_key)) === '0.7%', "the partner's own fee")
    assert.equal(await serviceFee(), others)

    const { difference } = await proposed('fees', null, '--partner', id)
    assert.ok(difference.length > 0)
    await until(async () => (await serviceFee(shop.secret_key)) === others, "the house's fee")
  })

  it('is approved by another operator than its author where two are needed, and changes nothing before', async () => {
    const tokens: string[] = []
    for (const name of ['ann', 'bob']) {
      const email = `${name}@example.com`
      await createOperator(ctxOf(), { email, password: 'correct horse battery' }, 'test')
      tokens.push((await createToken(ctxOf(), email, 'test')).text)
    }
    const by = async (who: number, ...args: string[]) => {
      const env = { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir, OPERATOR_TOKEN: tokens[who] ?? '' }
      const { exitCode, out, err } = await runCommand([...args, '--json'], env)
      return { exitCode, err, body: (out === '' ? {} : JSON.parse(out)) as Made }
    }
    await putInForce(ctxOf(), {
      kind: 'approvals',
      document: { payouts: { above: '100000', currency: 'EUR' }, policies: 'two_operators' },
      effectiveAt: ctxOf().clock.now(),
    })
    const file = await fileOf({ bound: '3%' })
    const line = ['policy', 'propose', 'slippage', file, '--reason', 'Wider.']
    const anonymous = await commandLineOf(exchange).cambio(...line)
    assert.notEqual(anonymous.exitCode, 0)
    assert.match(anonymous.err, /operator token/)

    const { body } = await by(0, ...line)
    assert.equal(body.status, 'proposed')
    // Another one on the same version: it would undo the first one.
    const { body: rival } = await by(1, ...line)
    const bound = () => ctxOf().policies.at(ctxOf().clock.now(), 'slippage').rules.boundBasisPoints
    assert.equal(bound(), 200)
    const own = await by(0, 'policy', 'approve', body.id)
    assert.notEqual(own.exitCode, 0)
    assert.match(own.err, /another operator/)
    const approved = await by(1, 'policy', 'approve', body.id)
    assert.equal(approved.body.status, 'active')
    await until(() => Promise.resolve(bound() === 300), 'the approved policy')
    const late = await by(0, 'policy', 'approve', rival.id)
    assert.match(late.err, /^STALE_PROPOSAL: /)
    const again = await by(1, 'policy', 'reject', body.id)
    assert.match(again.err, /in force/)
  })

  it('is proposed from what policy show prints, and refused where another version came in between', async () => {
    const { ctx } = exchange.service.composition
    await putInForce(ctx, {
      kind: 'approvals',
      document: { payouts: { above: '100000', currency: 'EUR' }, policies: 'one_operator' },
      effectiveAt: ctx.clock.now(),
    })
    // Price lists of customers and of institutions have one form.
    const other = await fileOf(await told<Shown>('policy', 'show', 'b2b'))
    const mixed = await commandLineOf(exchange).cambio('policy', 'propose', 'fees', other, '--reason', 'A test.')
    assert.notEqual(mixed.exitCode, 0)
    assert.match(mixed.err + mixed.out, /The document is one of b2b, not of fees\./)
    const shownNow = await told<Shown & { document: object }>('policy', 'show', 'ranges')
    const propose = async (most: string) => {
      const file = await fileOf({ ...shownNow, document: { ...shownNow.document, most: { EUR: most } } })
      return commandLineOf(exchange).cambio('policy', 'propose', 'ranges', file, '--reason', 'A test.', '--json')
    }
    const first = await propose('40000')
    assert.equal(first.exitCode, 0, first.err)
    const made = JSON.parse(first.out) as Made & { based_on: number; version: number }
    assert.deepEqual([made.based_on, made.status], [shownNow.version, 'active'])
    // The second one was drafted on the same version: it would take the first one back without a word.
    const second = await propose('30000')
    assert.equal(second.exitCode, 1)
    assert.match(
      second.err,
      new RegExp(`^STALE_PROPOSAL: .*version ${shownNow.version}, and version ${made.version} holds`),
    )

    const history = await told<(Made & { based_on: number | null; difference: string[]; dry_run: object | null })[]>(
      'policy',
      'history',
      'ranges',
    )
    assert.ok(history[0]?.difference.some((line) => line.includes('40000')))
    assert.equal(typeof history[0]?.dry_run, 'object')
    await until(async () => {
      const ask = '/v1/estimate?from_amount=45000&from_currency=EUR&to_currency=BTC'
      return (await exchange.api(ask)).status === 400
    }, 'the new range')
  })
})
