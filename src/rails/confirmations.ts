import type { Network } from '../reference/catalog/network.ts'

/** Final depths that differ from the catalog's, by network code. */
export type Confirmations = Readonly<Record<string, number>>

/**
 * Blocks, its own included, after which a transfer to us is final: as the operator has set it for the network, else as the
 * catalog says. What partners read in a currency's record is what rails count.
 */
export const confirmationsOf = (
  { confirmations }: { confirmations: Confirmations },
  { code, minConfirmations }: Pick<Network, 'code' | 'minConfirmations'>,
): number => confirmations[code] ?? minConfirmations
