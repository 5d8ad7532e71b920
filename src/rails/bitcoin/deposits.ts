import { gather } from '../../platform/lib/gather.ts'
import type { DepositHalf } from '../rail.ts'
import type { Chain } from './chain.ts'
import { coinsAt } from './coins.sql.ts'
import { eventsOf } from './events.ts'
import * as queries from './queries.ts'

/** Coins that come in; each order has its own address. Deposits are found by following the chain: there are no callbacks. */
export function deposits(chain: Chain): DepositHalf {
  const { db, network, rules, confirmations } = chain
  const addressFor = gather((orders: bigint[]) => addressesFor(chain, orders))
  return {
    confirmations,
    instruct: async ({ id }) => {
      const address = await addressFor(id)
      return { reference: address, payTo: { kind: 'address', address, extraId: '' } }
    },
    look: async (reference) =>
      (await coinsAt(db, network.code, reference)).flatMap((coin) => eventsOf(coin, rules.asset)),
    // A sender may be the hot wallet of an exchange: the customer is asked.
    origin: () => Promise.resolve('unknown'),
  }
}

/** An address is stored before anyone sees it, so that the chain's follower knows it. */
async function addressesFor({ db, network, account }: Chain, orders: bigint[]): Promise<string[]> {
  const rows = await queries.ordersRows(db, network.code, orders)
  const fresh = rows
    .filter(({ script }) => script === null)
    .map(({ id }) => ({ id, ...account.addressAt({ branch: 0, position: id }) }))
  if (fresh.length > 0) await queries.keepAddresses(db, fresh)
  const byOrder = new Map(
    rows.map(({ id, order_id: order, address }) => [order, address ?? fresh.find((one) => one.id === id)?.address]),
  )
  return orders.map((order) => {
    const address = byOrder.get(order)
    if (address === undefined) throw new Error(`The order ${order} has no address.`)
    return address
  })
}
