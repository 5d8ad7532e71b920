import type { Network } from '../reference/catalog/network.ts'
import type { Config } from '../app/config/config.ts'

/**
 * Blocks, its own included, after which a transfer to us is final: as the operator has set it for the network, else as the
 * catalogue says. What partners read in a currency's record is what rails count.
 */
export const confirmationsOf = (
  { confirmations }: Pick<Config, 'confirmations'>,
  { code, minConfirmations }: Pick<Network, 'code' | 'minConfirmations'>,
): number => confirmations[code] ?? minConfirmations
