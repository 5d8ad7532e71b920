import { count, duration, setting } from '../../platform/lib/setting.ts'

/** How long prices hold. */
export const priceSettings = {
  cardValidityMs: setting('CARD_PRICE_VALIDITY', 'PT15M', duration(1_000), 'How long a price paid by card holds.'),
  coinValidityMs: setting('COIN_PRICE_VALIDITY', 'PT20M', duration(1_000), 'How long a price paid in coins holds.'),
  staleAfterMs: setting('STALE_PRICE_AFTER', 'PT60S', duration(1), 'How old a market price may be and still sell.'),
  marketSeed: setting('MARKET_SEED', '1', count(0, 4_294_967_295), "The seed of the sandbox market's walk."),
}
