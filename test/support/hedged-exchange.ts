import { capital, held } from '../../src/exchange/ledger/account.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import type { HedgingSettings } from '../../src/exchange/settings.ts'
import { type Exchange, startExchange } from './exchange.ts'
import { type StillMarket, stopMarket } from './still-market.ts'
import { type FakeVenue, startFakeVenue } from './venues/fake-venue.ts'

/** Where it hedges. */
export const venuePlace = 'venue-1'

export const hedgingSettings: HedgingSettings = {
  isAutomatic: true,
  venue: venuePlace,
  pairs: [{ base: 'BTC', quote: 'EUR' }],
  assets: {},
  // Hedges are proposed where a test says so, and at no other time.
  everyMs: 3_600_000,
  slippageBasisPoints: 50,
  expiresAfterMs: 900_000,
  bounds: { BTC: { target: '0', minimum: '0.0005', lot: '0.0001' } },
  capPerOrder: 10_000_000n,
  capPerDay: 1_000_000_000n,
}

/** An exchange that hedges BTC at a venue of a test, at prices that only the test changes. */
export type HedgedExchange = { exchange: Exchange; market: StillMarket; fake: FakeVenue; stop(): Promise<void> }

export async function startHedgedExchange(): Promise<HedgedExchange> {
  const ends: (() => unknown)[] = []
  const exchange = await startExchange({ RATE_LIMITS: 'off' })
  const market = stopMarket(exchange)
  const fake = await startFakeVenue({ after: (end: () => unknown) => ends.push(end) }, venuePlace)
  const { ctx } = exchange.service.composition
  ctx.config.hedging = hedgingSettings
  ctx.venue = fake.venue
  const what = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
  await ctx.db.atomic((db) =>
    post(db, ctx, [
      entry(what, [
        { debit: held(venuePlace), credit: capital, asset: 'EUR-EUR', amount: 10_000_000_00n },
        { debit: held(venuePlace), credit: capital, asset: 'BTC-BTC', amount: 10_00000000n },
      ]),
    ]),
  )
  return {
    exchange,
    market,
    fake,
    stop: async () => {
      await exchange.stop()
      for (const end of ends) await end()
    },
  }
}
