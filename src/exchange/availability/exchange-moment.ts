import type { ActiveHalts } from '../../rails/halts.ts'
import type { ServedRails } from '../../rails/registry.ts'
import type { MarketMoment } from '../pricing/market.ts'

/** What an exchange depends on at one moment: the market, which payments have a rail, and what is halted, if anything is. */
export type ExchangeMoment = MarketMoment & { rails: ServedRails; halts?: ActiveHalts }
