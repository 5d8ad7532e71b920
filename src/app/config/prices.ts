import { count, duration, setting } from '../../platform/lib/setting.ts'

/** How long prices hold. */
export const priceSettings = {
  cardValidityMs: setting(
    'CARD_PRICE_VALIDITY',
    'PT15M',
    duration(1_000),
    'How long a price is held for payment by card.',
  ),
  coinValidityMs: setting(
    'COIN_PRICE_VALIDITY',
    'PT20M',
    duration(1_000),
    'How long a price is held for payment in coins.',
  ),
  staleAfterMs: setting(
    'STALE_PRICE_AFTER',
    'PT60S',
    duration(1),
    'The maximum age of a market price. Pairs with older prices are unavailable.',
  ),
  marketSeed: setting('MARKET_SEED', '1', count(0, 4_294_967_295), "The seed of the sandbox market's random walk."),
}
