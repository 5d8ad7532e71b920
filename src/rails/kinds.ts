import { bitcoinKind } from './bitcoin/kind.ts'
import { checkoutComKind } from './checkout-com/kind.ts'
import { evmKind } from './evm/kind.ts'
import { hyperswitchKind } from './hyperswitch/kind.ts'
import { bankKind } from './iso20022/kind.ts'
import type { RailKind } from './kind.ts'
import { xrplKind } from './xrpl/kind.ts'

/** Every kind of rail that CONFIG_FILE may have. A kind loads what opens it when there is something to open. */
export const railKinds: readonly RailKind[] = [
  bitcoinKind,
  checkoutComKind,
  evmKind,
  hyperswitchKind,
  bankKind,
  xrplKind,
]
