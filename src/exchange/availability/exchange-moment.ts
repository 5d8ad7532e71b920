import type { ActiveHalts } from '../../rails/halts.ts'
import type { ServedRails } from '../../rails/registry.ts'
import type { Policies } from '../policies/policies.ts'
import type { MarketMoment } from '../pricing/market.ts'

/** What a price depends on at one moment: the market, and the policies that hold. */
export type PricedMoment = MarketMoment & { policies: Pick<Policies, 'at'> }

/**
 * The same, which payments have a rail, and what is halted, if anything is. `isPayable`: a new request is bounded by the most that
 * the rails can pay out; money that is agreed on already is not.
 */
export type ExchangeMoment = PricedMoment & { rails: ServedRails; halts?: ActiveHalts; isPayable?: boolean }
