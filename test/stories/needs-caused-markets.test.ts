import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { approveHedge, listHedges } from '../../src/exchange/treasury/decide-hedge.ts'
import { proposeHedges } from '../../src/exchange/treasury/propose-hedges.ts'
import { commandLineOf } from '../support/command.ts'
import { type Desk, startDesk } from '../support/desk.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { until } from '../support/telling.ts'
import { krakenKey } from '../support/venues/kraken.ts'
import { startTradingKraken } from '../support/venues/trading-kraken.ts'
import type { VenueCore } from '../support/venues/venue-core.ts'

const prices = {
  'BTC/EUR': 8_900_000n,
  'ETH/EUR': 300_000n,
  'BTC/USD': 9_790_000n,
  'EUR/USD': 110n,
  'LTC/EUR': 8_000n,
  'XRP/EUR': 200n,
}
const folder = mkdtempSync(join(tmpdir(), 'cambio-needs-'))
const file = join(folder, 'exchange.yaml')
const stops: (() => unknown)[] = []
const t = { after: (stop: () => unknown) => stops.push(stop) }
let desks: Desk[] = []
let content: { markets?: object; treasury: object } = { treasury: {} }
let venue: VenueCore
let exchange: Exchange

before(async () => {
  desks = await Promise.all([startDesk(t, prices), startDesk(t, prices)])
  const { core, server } = await startTradingKraken(t)
  venue = core
  writeFileSync(join(folder, 'key'), krakenKey.apiKey)
  writeFileSync(join(folder, 'secret'), krakenKey.secret)
  const sources = desks.map(({ url }, index) => ({
    kind: 'http-json',
    name: `desk-${index + 1}`,
    url: `${url}/books`,
    every: 'PT0.1S',
  }))
  content = {
    markets: { minimum_sources: 2, max_age: 'PT3S', tolerance: '2%', sources },
    treasury: {
      hedging: 'auto',
      venue: 'kraken',
      api_key: 'file:key',
      secret: 'file:secret',
      urls: { api: server.url },
      pairs: ['BTC/EUR', 'ETH/EUR'],
      // Hedges are proposed where a test says so.
      every: 'PT1H',
      bounds: { BTC: { minimum: '0.0005', lot: '0.0001' }, ETH: { minimum: '0.001', lot: '1' } },
      caps: { order: '2000', day: '2000' },
    },
  }
  writeFileSync(file, JSON.stringify(content))
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIG_FILE: file, LOG_LEVEL: 'fatal' })
})
after(async () => {
  await exchange.stop()
  for (const stop of stops) await stop()
  rmSync(folder, { recursive: true, force: true })
})

const ctx = () => exchange.service.composition.ctx
const { begins, ends } = needsOf(() => exchange, { CONFIG_FILE: file })
const cambio = (...args: string[]) => commandLineOf(exchange, { CONFIG_FILE: file }).told(...args)

/** Proposes a hedge, as soon as there is a price for it, and waits until it has ended. */
async function hedge(): Promise<void> {
  await until(async () => (await proposeHedges(ctx())).length > 0, 'a hedge to be proposed')
  await ended()
}

/** Waits until those that may be sent have ended. */
async function ended(): Promise<void> {
  const open = async () => (await listHedges(ctx(), true)).filter(({ state }) => state !== 'proposed')
  await until(async () => (await open()).length === 0, 'the hedges to end')
}

describe('somebody is needed for prices and hedges, and told so on the first page and by command, for as long as it lasts:', () => {
  it('where a pair has no price, because its sources say nothing that can be read', async () => {
    for (const desk of desks)
      desk.edit = (book) => (Number(book.bid) > 50 && Number(book.bid) < 90 ? { bid: '?' } : book)
    await begins('market stale', /^LTC\/EUR has no price that is young enough, so it is not offered to customers\. /)
    for (const desk of desks) desk.edit = undefined
    await ends('market stale')
  })

  it('where no pair has a price, because the sources are gone', async () => {
    await desks[0]?.stop()
    await begins('market all stale', /^6 pairs have no price that is young enough and are not offered to customers\. /)
    await desks[0]?.start()
    await ends('market all stale')
  })

  it('where a pair is halted by hand, until somebody resumes it', async () => {
    const say = ['LTC/EUR', '--reason', 'Its source is doubted']
    await cambio('market', 'halt', ...say)
    await begins(
      'market halted',
      /^LTC\/EUR is halted: Its source is doubted\. It is not offered to customers until somebody resumes it\.$/,
    )
    await cambio('market', 'resume', ...say)
    await ends('market halted')
  })

  it('where a hedge finds nobody to trade with, until one does', async () => {
    await cambio(
      'balance',
      'open',
      '--account',
      'kraken',
      '--asset',
      'EUR-EUR',
      '--amount',
      '20000',
      '--reason',
      'funded',
    )
    venue.usual = () => 'nothing'
    await buy(exchange, { from_amount: '300' })
    await hedge()
    await begins(
      'hedge unfilled',
      /^Nobody at kraken trades 0\.003\d* BTC with us at our price\. .* until then we bear the price of this amount\. If it lasts, tell the people who run the servers\.$/,
    )
    await hedge()
    await begins('hedge unfilled', /^Nobody at kraken trades 0\.003\d* BTC with us at our price\. /)
    venue.usual = () => 'fill'
    await hedge()
    await ends('hedge unfilled')
  })

  it('where the venue refuses a hedge, until it takes one', async () => {
    venue.usual = () => 'reject'
    await buy(exchange, { from_amount: '300' })
    await hedge()
    await begins('hedge refused', /^A hedge of 0\.003\d* BTC was refused: kraken says “EOrder:Insufficient funds”\. /)
    venue.usual = () => 'fill'
    await hedge()
    await ends('hedge refused')
  })

  it('where a hedge is beyond the cap of a day, once, until it is approved', async () => {
    await buy(exchange, { from_amount: '1000' })
    await hedge()
    await begins(
      'approval hedge',
      /^A hedge at kraken over 0\.01\d* BTC waits for approval\. Approve or cancel it; until then /,
    )
    await ends('hedge capped')
    const proposed = (await listHedges(ctx(), true)).find(({ state }) => state === 'proposed')
    await approveHedge(ctx(), proposed?.id ?? 0n, { actor: 'cli:ann' })
    await ended()
    await ends('approval hedge')
    await ends('hedge capped')
  })

  it('where the cap of an order is less than the least that can be traded, until it is raised, and not for less than that', async () => {
    await buy(exchange, { from_amount: '300', to_currency: 'ETH' })
    await ends('hedge capped')
    await buy(exchange, { from_amount: '4000', to_currency: 'ETH' })
    await begins('hedge capped', /^1\.\d+ ETH cannot be hedged at kraken: .* our cap for one order\. /)
    writeFileSync(
      file,
      JSON.stringify({ ...content, treasury: { ...content.treasury, caps: { order: '9000', day: '100000' } } }),
    )
    const { hedging } = ctx().config
    Object.assign(hedging ?? {}, { capPerOrder: 900_000n, capPerDay: 10_000_000n })
    await hedge()
    await ends('hedge capped')
  })

  // Last: prices of a clock that was ahead are newer than what comes after it.
  it('where the price of a pair has jumped, until no price of the last minute differs so much', async () => {
    for (const desk of desks) {
      // A time that the desk names would be behind the clock, which is moved below.
      desk.edit = ({ bid, ask }) => ({ bid, ask })
      desk.prices['XRP/EUR'] = 300n
    }
    await begins('market jumped', /^The price of XRP\/EUR has jumped, so it is not offered to customers\. .* by itself/)
    const { realNow } = ctx().clock
    Object.assign(ctx().clock, { realNow: () => new Date(realNow().getTime() + 130_000) })
    await ends('market jumped', 'home')
    Object.assign(ctx().clock, { realNow })
  })
})
