import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { parseAmount } from '../../src/platform/money/amount.ts'
import { assetById } from '../../src/reference/catalog/asset.ts'
import { profitAndLoss, type ProfitRow } from '../../src/exchange/treasury/profit.ts'
import { dayOf } from '../../src/exchange/treasury/mark.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  buy,
  lookup,
  pay,
  railEvent,
  readyToPay,
  seen,
} from '../support/journey.ts'
import { assertProfitAddsUp, sumOf } from '../support/profit.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'

let exchange: Exchange
let market: StillMarket
let cambio: CommandLine['cambio']
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1,ETH=1' })
  market = stopMarket(exchange)
  ;({ cambio } = commandLineOf(exchange))
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const addsUp = (): Promise<ProfitRow[]> => assertProfitAddsUp(ctx(), exchange.ownerUrl)
const cents = 1_000_000n

/** What a column gained while something was done. */
async function gained(column: Parameters<typeof sumOf>[1], work: () => Promise<unknown>): Promise<bigint> {
  const was = sumOf(await addsUp(), column)
  await work()
  return sumOf(await addsUp(), column) - was
}

describe('profit and loss', () => {
  it('of a buy: fees as booked, spread at the market, and no drift while the price stays', async () => {
    const { id } = await buy(exchange)
    const rows = await addsUp()
    const fees =
      -(await bookBalance(exchange, 'fees:service', 'EUR-EUR')) -
      (await bookBalance(exchange, 'fees:deposit', 'EUR-EUR'))
    assert.equal(sumOf(rows, 'fees'), fees * cents)
    assert.equal(sumOf(rows, 'drift'), 0n)
    const spread = sumOf(rows, 'spread')
    assert.ok(spread > 30n * cents && spread < 200n * cents, `${spread}`)
    assert.deepEqual(
      rows.filter((row) => row.spread !== 0n).map(({ asset }) => asset),
      ['BTC-BTC'],
    )

    const [{ partner_id: partner } = { partner_id: '' }] = await lookup<{ partner_id: string }>(
      exchange,
      'select partner_id from transactions where public_id = $1',
      [id],
    )
    const today = dayOf(ctx().clock.now())
    const own = await profitAndLoss(ctx(), { since: today, until: today, partnerId: BigInt(partner) })
    assert.equal(sumOf(own, 'fees'), fees * cents)
    assert.deepEqual(await profitAndLoss(ctx(), { since: today, until: today, partnerId: 1n }), [])
  })

  it('shows as drift what the price moved between lock and settlement, to the disadvantage of the house or not', async () => {
    const lost = await gained('drift', async () => {
      const { id } = await readyToPay(exchange)
      market.setPrice('BTC', 1_100n)
      await pay(exchange, id)
      await arrive(exchange, id, 'finished')
    })
    assert.ok(lost < -700n * cents && lost > -1_100n * cents, `${lost}`)
    const won = await gained('drift', async () => {
      const { id } = await readyToPay(exchange)
      market.setPrice('BTC', 1_000n)
      await pay(exchange, id)
      await arrive(exchange, id, 'finished')
    })
    assert.ok(won > 700n * cents && won < 1_200n * cents, `${won}`)
  })

  it('of a sell and a swap shows with the coin', async () => {
    const sell = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
    const sold = await gained('spread', () => buy(exchange, sell))
    assert.ok(sold > 0n, `${sold}`)
    const swapped = await gained('spread', () =>
      buy(exchange, { from_amount: '0.01', from_currency: 'BTC', to_currency: 'ETH' }),
    )
    assert.ok(swapped > 0n, `${swapped}`)
    const rows = await addsUp()
    assert.deepEqual(
      rows.filter((row) => row.spread !== 0n).map(({ asset }) => asset),
      ['BTC-BTC', 'ETH-ETH'],
    )
  })

  it('counts a chargeback as a cost of its payment method', async () => {
    const { id } = await buy(exchange)
    const lost = await gained('methodCosts', async () => {
      await railEvent(exchange, id, 'chargeback')
      await seen(exchange, id, 'the chargeback', ({ errors }) => errors.length > 0)
    })
    assert.equal(lost, -10_000n * cents)
  })

  it('of a day that ended never changes, whatever prices do afterwards', async () => {
    const first = dayOf(ctx().clock.now())
    await advance(exchange, 'P1D')
    const before = await profitAndLoss(ctx(), { since: first, until: first })
    assert.ok(before.length > 0)
    market.setPrice('BTC', 700n)
    await buy(exchange, { from_amount: '50' })
    const rows = await addsUp()
    assert.deepEqual(await profitAndLoss(ctx(), { since: first, until: first }), before)
    assert.ok(rows.some(({ day, asset, revaluation }) => day > first && asset === 'BTC-BTC' && revaluation !== 0n))
    await advance(exchange, 'P3D')
    await addsUp()
    assert.deepEqual(await profitAndLoss(ctx(), { since: first, until: first }), before)
    await assertBooksHold(exchange)
  })

  it('is printed as decimals of EUR that add up', async () => {
    const { out } = await cambio('treasury', 'pnl', '--since', '2020-01-01', '--until', '2999-12-31', '--json')
    const rows = JSON.parse(out) as Record<string, string>[]
    assert.deepEqual(Object.keys(rows[0] ?? {}), [
      'date',
      'asset',
      'spread',
      'fees',
      'method_costs',
      'network_costs',
      'hedging',
      'drift',
      'revaluation',
      'total',
    ])
    const shown = JSON.parse((await cambio('treasury', 'show', '--json')).out) as { exposure: { currency: string }[] }
    assert.ok(shown.exposure.some(({ currency }) => currency === 'BTC'))
    assert.equal((await cambio('treasury', 'pnl', '--since', '2026-02-30')).exitCode, 2)
    assert.equal((await cambio('treasury', 'pnl', '--since', '2026-02-03', '--until', '2026-02-02')).exitCode, 2)
  })
})

describe('custody balances', () => {
  it('say what is held, reserved, on its way and available', async () => {
    const { out } = await cambio('balance', 'list', '--json')
    const rows = JSON.parse(out) as Record<string, string>[]
    const bank = rows.find(({ account, asset }) => account === 'bank' && asset === 'EUR-EUR')
    assert.deepEqual(Object.keys(bank ?? {}).slice(0, 6), [
      'account',
      'asset',
      'balance',
      'reserved',
      'on_its_way',
      'available',
    ])
    const { decimals } = assetById('EUR-EUR') ?? assert.fail()
    assert.equal(
      await bookBalance(exchange, 'held:bank', 'EUR-EUR'),
      parseAmount(bank?.balance ?? '', { ticker: 'EUR', decimals }),
    )
  })

  it('count a payment that a rail has seen as on its way until it is final', async () => {
    exchange.world.confirmations = { ...exchange.world.confirmations, BTC: 1_000 }
    const { id } = await readyToPay(exchange, { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' })
    await pay(exchange, id)
    await seen(exchange, id, 'the coins', ({ status_details: details }) => details === 'confirming')
    const { out } = await cambio('balance', 'list', '--json')
    const rows = JSON.parse(out) as Record<string, string>[]
    const wallet = rows.find(({ account, asset }) => account === 'wallet-btc' && asset === 'BTC-BTC')
    assert.deepEqual([wallet?.on_its_way, wallet?.incoming, wallet?.outgoing], ['0.01', '0.01', '0'])
  })

  it('are opened once, with a reason, on a known account', async () => {
    const open = (account: string, asset: string) =>
      cambio(
        'balance',
        'open',
        '--account',
        account,
        '--asset',
        asset,
        '--amount',
        '12.5',
        '--reason',
        'at the start',
        '--json',
      )
    const was = await bookBalance(exchange, 'held:card-processor', 'EUR-EUR')
    const { exitCode, out, err } = await open('card-processor', 'EUR-EUR')
    assert.deepEqual([exitCode, err], [0, ''])
    assert.deepEqual(JSON.parse(out), { account: 'card-processor', asset: 'EUR-EUR', amount: '12.5' })
    assert.equal(await bookBalance(exchange, 'held:card-processor', 'EUR-EUR'), was + 1_250n)
    const again = await open('card-processor', 'EUR-EUR')
    assert.equal(again.exitCode, 1)
    assert.match(again.err, /booked already/)
    assert.match((await open('card-procesor', 'EUR-EUR')).err, /Unknown account/)
    assert.match((await open('bank', 'XYZ-XYZ')).err, /--asset must be a currency on a network/)
    const rows = await lookup(
      exchange,
      "select 1 from audit where action = 'balance.opened' and subject = 'custody:card-processor'",
    )
    assert.equal(rows.length, 1)
  })

  it('are charged with what a processor took, as a cost of the method', async () => {
    const cost = await gained('methodCosts', async () => {
      const { exitCode } = await cambio(
        'balance',
        'charge',
        '--account',
        'card-processor',
        '--asset',
        'EUR-EUR',
        '--amount',
        '3.21',
        '--reason',
        'monthly fee',
      )
      assert.equal(exitCode, 0)
    })
    assert.equal(cost, -321n * cents)
  })
})
