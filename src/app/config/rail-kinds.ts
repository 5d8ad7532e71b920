import { bitcoinSchema } from '../../rails/bitcoin/settings.ts'
import { evmSchema } from '../../rails/evm/settings.ts'
import { checkoutComSchema } from '../../rails/checkout-com/settings.ts'
import { hyperswitchSchema } from '../../rails/hyperswitch/settings.ts'
import { bankSchema } from '../../rails/iso20022/settings.ts'
import { xrplSchema } from '../../rails/xrpl/settings.ts'
import type { Schema } from '../../platform/lib/schema.ts'

/** What each kind of rail reads of its entry in CONFIG_FILE; every schema has a `kind` with a `const`. */
export const railKindSchemas: readonly Schema[] = [
  bitcoinSchema,
  checkoutComSchema,
  evmSchema,
  hyperswitchSchema,
  bankSchema,
  xrplSchema,
]
