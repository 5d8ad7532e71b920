import { count, duration, setting } from '../../platform/lib/setting.ts'

/** Market prices. */
export const priceSettings = {
  staleAfterMs: setting(
    'STALE_PRICE_AFTER',
    'PT60S',
    duration(1),
    'The maximum age of a market price. Pairs with older prices are unavailable.',
  ),
  marketSeed: setting('MARKET_SEED', '1', count(0, 4_294_967_295), "The seed of the sandbox market's random walk."),
}
