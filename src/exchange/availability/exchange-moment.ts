import type { ServedRails } from '../../rails/registry.ts'
import type { MarketMoment } from '../pricing/market.ts'

/** What an exchange depends on at one moment: the market, and which payments have a rail. */
export type ExchangeMoment = MarketMoment & { rails: ServedRails }
