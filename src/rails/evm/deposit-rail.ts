import { gather } from '../../platform/lib/gather.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { DepositRail, Origin, PayoutRail } from '../rail.ts'
import { balanceOf } from './balance.ts'
import type { Chain } from './chain.ts'
import type { Hex } from './node.ts'
import * as queries from './queries.ts'
import { contractsOn, type RawLog, readTransfer } from './tokens.ts'
import { readPayment, referenceOf, toldOf } from './words.ts'

/**
 * Coins and tokens that come in on a chain, each transaction's to an address of its own. What a chain tells is found by
 * following it (`follow.ts`): there are no callbacks.
 */
export function depositRail(chain: Chain, payout: PayoutRail): DepositRail {
  const { db, network, name, place, confirmations, keys } = chain
  const watch = gather(async (rows: { address: string; derivation: bigint }[]) => {
    await queries.keepAddresses(db, rows)
    return rows.map(() => undefined)
  })
  return {
    name,
    place,
    confirmations,
    instruct: async ({ id }) => {
      const address = keys.depositAddress(id)
      await watch({ address: address.toLowerCase(), derivation: id })
      return { reference: address, payTo: { kind: 'address', address, extraId: '' } }
    },
    readCallback: () => {
      throw new Refusal('SIGNATURE_INVALID', 'A chain calls nobody back.')
    },
    look: async (reference) => (await queries.arrivalsAt(db, network.code, reference.toLowerCase())).flatMap(toldOf),
    origin: (payment) => originOf(chain, payout, payment),
    balance: (asset) => balanceOf(chain, asset),
  }
}

type RawReceipt = { from: string; to: string | null; status: string; logs: RawLog[] } | null

/**
 * Who sent a payment, if coins may go back there: not what came from ourselves, and not what a contract sent, which may keep the
 * money of many. An account with code set by its own key (EIP-7702) is still its owner's.
 */
async function originOf(chain: Chain, rail: PayoutRail, payment: string): Promise<Origin | 'unknown'> {
  const { node, network } = chain
  const read = readPayment(payment)
  if (!read) return 'unknown'
  const receipt = await node.ask<RawReceipt>('eth_getTransactionReceipt', read.hash)
  if (receipt?.status !== '0x1') return 'unknown'
  const log = read.position === undefined ? undefined : receipt.logs[read.position]
  const sender = read.position === undefined ? receipt.from : log && readTransfer(contractsOn(network), log)?.from
  if (sender === undefined || rail.owns(referenceOf(sender))) return 'unknown'
  if ((await queries.ownAddresses(chain.db, [sender.toLowerCase()])).length > 0) return 'unknown'
  const code = await node.ask<Hex>('eth_getCode', sender, 'latest')
  if (code !== '0x' && !code.startsWith('0xef0100')) return 'unknown'
  return { rail, destination: { address: referenceOf(sender), extraId: '', holder: '' } }
}
