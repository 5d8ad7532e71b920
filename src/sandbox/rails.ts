import type { Rail } from '../rails/rail.ts'
import { bankRail } from './bank/bank.ts'
import { chainRails } from './chain/chain.ts'
import { pageRails } from './processor/page.ts'
import type { World } from './world.ts'

/** The rails of the sandbox: a card processor's and a bank's pages, bank transfers, and every chain of the catalog. */
export const openSandboxRails = (world: World): Rail[] => [...pageRails(world), bankRail(world), ...chainRails(world)]

export { fundBank } from './bank/bank.ts'
export { takeCallbacks } from './callback.ts'
export { fundWallet, moveCoins } from './chain/chain.ts'
export { sendCoins } from './chain/coins.ts'
export { armRefusal, armTimeout, armUnknownStatus } from './fault.ts'
export {
  bounce,
  challenge,
  chargeback,
  decline,
  dispute,
  duplicate,
  isPaid,
  pay,
  type Payment,
  reorg,
  reportUnknownStatus,
  voidPayment,
} from './play.ts'
export type { World } from './world.ts'
