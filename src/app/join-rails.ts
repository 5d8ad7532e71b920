import type { Rails } from '../rails/rail.ts'
import { firstOf } from './first-of.ts'

/** No way in or out. */
export const noRails: Rails = {
  deposit: new Map(),
  payout: new Map(),
  forDeposit: () => undefined,
  forPayout: () => undefined,
}

/** All rails under their names. Where several serve a payment category on a network, the first ones do. */
export const joinRails = (all: readonly Rails[]): Rails => ({
  deposit: new Map(all.flatMap(({ deposit }) => [...deposit])),
  payout: new Map(all.flatMap(({ payout }) => [...payout])),
  forDeposit: (category, network) => firstOf(all, (rails) => rails.forDeposit(category, network)),
  forPayout: (category, network) => firstOf(all, (rails) => rails.forPayout(category, network)),
})
