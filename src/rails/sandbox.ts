import type { Processor } from './sandbox/card.ts'
import { cardRail } from './sandbox/card.ts'
import { chainRails } from './sandbox/chain.ts'
import type { Rails } from './rail.ts'

/** The rails of the sandbox: a card processor for money in, and every chain of the catalogue for money out. */
export function openSandboxRails(processor: Processor): Rails {
  const card = cardRail(processor)
  const chains = chainRails(processor)
  const byNetwork = new Map(chains.map((rail) => [rail.name.replace('sandbox-', '').toUpperCase(), rail]))
  return {
    deposit: new Map([[card.name, card]]),
    payout: new Map(chains.map((rail) => [rail.name, rail])),
    forDeposit: (category) => (category === 'VISA_MC' ? card : undefined),
    forPayout: (network) => byNetwork.get(network),
  }
}

export { callbackOwed, oweCallbacks, payByCard, payForSure, type Processor, takeCallbacks } from './sandbox/card.ts'
export { armTimeout, fundWallet } from './sandbox/chain.ts'
export { buildProcessor } from './sandbox/processor.ts'
