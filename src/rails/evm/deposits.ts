import { gather } from '../../platform/lib/gather.ts'
import type { DepositHalf, Destination } from '../rail.ts'
import { type Chain, isHot } from './chain.ts'
import type { Hex } from './node.ts'
import * as queries from './queries.ts'
import { contractsOn, type RawLog, readTransfer } from './tokens.ts'
import { readPayment, referenceOf, eventsOf } from './events.ts'

/**
 * Coins and tokens that come in on a chain; each transaction has its own address. Deposits are found by following the chain
 * (`follow.ts`): there are no callbacks.
 */
export function deposits(chain: Chain): DepositHalf {
  const { db, network, confirmations, keys } = chain
  const watch = gather(async (rows: { address: string; derivation: bigint }[]) => {
    await queries.keepAddresses(db, rows)
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
    origin: (payment) => originOf(chain, payment),
  }
}

type RawReceipt = { from: string; to: string | null; status: string; logs: RawLog[] } | null

/**
 * Who sent a payment, if coins may go back there: not what came from ourselves, and not what a contract sent, which may keep the
 * money of many. An account with code set by its own key (EIP-7702) is still its owner's.
 */
async function originOf(chain: Chain, payment: string): Promise<Destination | 'unknown'> {
  const { node, network } = chain
  const read = readPayment(payment)
  if (!read) return 'unknown'
  const receipt = await node.ask<RawReceipt>('eth_getTransactionReceipt', read.hash)
  if (receipt?.status !== '0x1') return 'unknown'
  const log = read.position === undefined ? undefined : receipt.logs[read.position]
  const sender = read.position === undefined ? receipt.from : log && readTransfer(contractsOn(network), log)?.from
  if (sender === undefined || isHot(chain, sender)) return 'unknown'
  if ((await queries.ownAddresses(chain.db, [sender.toLowerCase()])).length > 0) return 'unknown'
  const code = await node.ask<Hex>('eth_getCode', sender, 'latest')
  if (code !== '0x' && !code.startsWith('0xef0100')) return 'unknown'
  return { address: referenceOf(sender), extraId: '', holder: '' }
}
