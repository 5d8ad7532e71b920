import { findPaymentCategory } from '../reference/catalog/payment-category.ts'
import type { Rails } from '../rails/rail.ts'
import { bankRails } from './bank/bank.ts'
import { chainRails } from './chain/chain.ts'
import { pageRails } from './processor/page.ts'
import type { World } from './world.ts'

/**
 * The rails of the sandbox: the pages of a card processor and of a bank, in and back; a bank's transfers and every chain of the
 * catalogue, in and out. The way back has the name of the way in, so that what a rail tells is about either.
 */
export function openSandboxRails(world: World): Rails {
  const pages = pageRails(world)
  const bank = bankRails(world)
  const chains = chainRails(world)
  const roadOf = (category: string, network: string) => {
    const flow = findPaymentCategory(category)?.flow
    if (flow === 'coin') return chains.get(network)
    return flow === 'transfer' ? bank : undefined
  }
  const roads = [...pages.values(), bank, ...chains.values()]
  return {
    deposit: new Map(roads.map(({ deposit }) => [deposit.name, deposit])),
    payout: new Map(roads.map(({ payout }) => [payout.name, payout])),
    forDeposit: (category, network) => (pages.get(category) ?? roadOf(category, network))?.deposit,
    forPayout: (category, network) => roadOf(category, network)?.payout,
  }
}

export { fundBank } from './bank/bank.ts'
export { takeCallbacks } from './callback.ts'
export { fundWallet, moveCoins } from './chain/chain.ts'
export { sendCoins } from './chain/coins.ts'
export { armRefusal, armTimeout, armUnknownWord } from './fault.ts'
export {
  bounce,
  challenge,
  chargeback,
  decline,
  duplicate,
  isPaid,
  pay,
  type Payment,
  reorg,
  unknownWord,
  voidPayment,
} from './play.ts'
export type { World } from './world.ts'
