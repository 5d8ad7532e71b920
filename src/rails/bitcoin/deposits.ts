import { hex } from '@scure/base'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'

import { gather } from '../../platform/lib/gather.ts'
import type { DepositHalf, Destination } from '../rail.ts'
import type { Chain } from './chain.ts'
import { coinOf, coinsAt } from './coins.sql.ts'
import { eventsOf, readPayment } from './events.ts'
import { readHash } from './node.ts'
import * as queries from './queries.ts'
import { addressOf } from '../../reference/addresses/output-script.ts'
import { readBlock, type Transfer } from './wire.ts'

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
    origin: (payment) => originOf(chain, payment),
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

/**
 * Who sent a payment, if all its inputs show one and the same address of a key: not what came from ourselves, and not what several
 * wallets paid together. Read from the block's own bytes.
 */
async function originOf(chain: Chain, payment: string): Promise<Destination | 'unknown'> {
  const { db, network, node, rules, signer } = chain
  // Without keys nothing goes back.
  if (!signer) return 'unknown'
  const outpoint = readPayment(payment)
  const [coin] = outpoint ? await coinOf(db, network.code, outpoint) : []
  if (!outpoint || !coin || coin.block === null || coin.is_own) return 'unknown'
  const hash = await readHash(node, coin.block)
  if (hash === undefined) return 'unknown'
  const { transfers } = readBlock(String(await node.ask('getblock', hash, false)), hash, rules)
  const transfer = transfers.find(({ txid }) => txid === outpoint.txid)
  const script = transfer && senderScript(transfer)
  if (script === undefined || (await queries.ownScripts(db, network.code, [script])).length > 0) return 'unknown'
  const address = addressOf(script, rules, chain.forms)
  return address === undefined ? 'unknown' : { address, extraId: '', holder: '' }
}

/** The one output script that all inputs of a transfer spend, as far as their signatures show it. */
function senderScript({ inputs, isCoinbase }: Transfer): string | undefined {
  const scripts = new Set(inputs.map(spentScript))
  const [script] = scripts
  return scripts.size === 1 && !isCoinbase ? script : undefined
}

/** What an input spends: P2WPKH by its witness, P2WPKH within P2SH by its redeem script, P2PKH by the key in its script. */
function spentScript({ script, witness }: Transfer['inputs'][number]): string | undefined {
  const key = witness[1]
  if (witness.length === 2 && key?.length === 33) {
    const program = `0014${hashOf(key)}`
    if (script.length === 0) return program
    return script.toString('hex') === `16${program}` ? `a914${hashOf(Buffer.from(program, 'hex'))}87` : undefined
  }
  if (witness.length > 0) return undefined
  const signature = script[0] ?? 0
  const pushed = script[signature + 1] ?? 0
  const pushedKey = script.subarray(signature + 2)
  const isPlain = signature >= 65 && signature <= 73 && (pushed === 33 || pushed === 65) && pushedKey.length === pushed
  return isPlain ? `76a914${hashOf(pushedKey)}88ac` : undefined
}

const hashOf = (bytes: Buffer): string => hex.encode(ripemd160(sha256(bytes)))
