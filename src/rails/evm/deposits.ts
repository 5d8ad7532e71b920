import { gather } from '../../platform/lib/gather.ts'
import type { DepositHalf } from '../rail.ts'
import type { Chain } from './chain.ts'
import { watchAddresses } from './by-contract.sql.ts'
import * as queries from './queries.ts'
import { eventsOf } from './events.ts'

/**
 * Coins and tokens that come in on a chain; each transaction has its own address. Deposits are found by following the chain
 * (`follow.ts`): there are no callbacks.
 */
export function deposits(chain: Chain): DepositHalf {
  const { db, network, confirmations, keys } = chain
  const watch = gather(async (rows: { address: string; derivation: bigint }[]) => {
    await watchAddresses(db, network.code, rows, chain.clock.realNow())
    return rows.map(() => undefined)
  })
  return {
    confirmations,
    instruct: async ({ id }) => {
      const address = keys.depositAddress(id)
      await watch({ address: address.toLowerCase(), derivation: id })
      return { reference: address, payTo: { kind: 'address', address, extraId: '' } }
    },
    look: async (reference) => (await queries.arrivalsAt(db, network.code, reference.toLowerCase())).flatMap(eventsOf),
    // A sender may be the hot wallet of an exchange: the customer is asked.
    origin: () => Promise.resolve('unknown'),
  }
}
