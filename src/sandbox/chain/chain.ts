import { type Network, networks } from '../../reference/catalog/network.ts'
import type { Db } from '../../platform/db/sql.ts'
import { gather } from '../../platform/lib/gather.ts'
import type { DepositRail, PayoutOrder, PayoutRail, PlanBody, PlanDraft, PlanOutcome } from '../../rails/rail.ts'
import { readWords } from '../callback.ts'
import { takeFaults } from '../fault.ts'
import { covered } from '../overdraft.ts'
import type { World } from '../world.ts'
import { blockMsOf, currentBlock, timeOf } from './block.ts'
import { tellArrivals, toldOf } from './coins.ts'
import * as queries from './queries.ts'
import { chainName, depositAddress, hashOf, pooledWallet, transferCost, walletOf } from './wallet.ts'
import { factOf, wordNames } from './words.ts'

/** Every chain of the sandbox as a way in and out, by its code. */
export const chainRails = (world: World): Map<string, { deposit: DepositRail; payout: PayoutRail }> =>
  new Map(networks.map((network) => [network.code, roadOf(world, network)]))

function roadOf(world: World, network: Network): { deposit: DepositRail; payout: PayoutRail } {
  const payout = payoutRail(world, network)
  return { deposit: depositRail(world, network, payout), payout }
}

const placeOf = ({ code }: Network): string => `wallet-${code.toLowerCase()}`

function depositRail(world: World, network: Network, payout: PayoutRail): DepositRail {
  const name = chainName(network)
  const wallet = walletOf(world, network)
  const watch = gather(async (rows: { address: string; memo: string }[]) => {
    await queries.watch(
      world.db,
      rows.map((row) => ({ ...row, chain: network.code })),
    )
    return rows.map(() => undefined)
  })
  return {
    name,
    place: placeOf(network),
    confirmations: wallet.confirmations,
    instruct: async ({ id }) => {
      const { address, extraId } = depositAddress(network, wallet, id)
      await watch({ address, memo: extraId })
      const reference = wallet.usesMemos ? `${address}?${extraId}` : address
      return { reference, payTo: { kind: 'address', address, extraId } }
    },
    readCallback: (body, headers) => factOf(readWords(world, { rail: name, names: wordNames }, body, headers)),
    look: async (reference) => (await toldOf(world, network, reference)).map(factOf),
    origin: async (payment) => {
      const [transfer] = await queries.senderOf(world.db, network.code, payment)
      if (!transfer || transfer.sender === wallet.address || transfer.sender === pooledWallet(network)) return 'unknown'
      return { rail: payout, destination: { address: transfer.sender, extraId: '', holder: '' } }
    },
    balance: (asset) => balanceOf(world, wallet, asset),
  }
}

function payoutRail(world: World, network: Network): PayoutRail {
  const wallet = walletOf(world, network)
  const send = gather((plans: PlanBody[]) => submitAll(world, network, plans))
  const look = gather((nonces: string[]) => lookAll(world, wallet, nonces), { most: 256 })
  return {
    name: chainName(network),
    place: placeOf(network),
    get lookAfterMs() {
      return blockMsOf(world)
    },
    mostFee: () => {
      const { asset, amount } = transferCost(network)
      return { asset: asset.id, amount }
    },
    prepare: async (orders) => orders.map((order) => planOf(order, network, wallet.address)),
    submit: async ({ body }) => {
      if (await send(body)) throw new Error('The node did not answer in time.')
    },
    look: ({ key }) => look(key),
    owns: (address) => address === wallet.address,
    balance: (asset) => balanceOf(world, wallet, asset),
  }
}

const balanceOf = async (world: World, wallet: queries.Wallet, asset: string): Promise<bigint> =>
  (await queries.balance(world.db, wallet, asset, currentBlock(world)))[0]?.balance ?? 0n

/** The nonce is the payout's own id: a second transfer for the same payout is one that the chain has seen. */
function planOf({ payoutId, asset, amount, destination }: PayoutOrder, network: Network, sender: string): PlanDraft {
  const fee = transferCost(network)
  const body = {
    sender,
    nonce: String(payoutId),
    recipient: destination.address,
    memo: destination.extraId,
    asset,
    amount: String(amount),
    feeAsset: fee.asset.id,
    fee: String(fee.amount),
  }
  return { key: String(payoutId), payoutId, body }
}

/**
 * Brings transfers to the chain: they are in its next block. Tells for each whether the node stayed silent about it. One that
 * goes to an address of ours (a customer pays out into another order) is told like every other transfer to us; should this
 * process die before it is, whoever looks finds it. What the chain was told to refuse never gets there.
 */
async function submitAll(world: World, network: Network, plans: PlanBody[]): Promise<boolean[]> {
  const block = currentBlock(world) + 1n
  const faults = await takeFaults(
    world,
    plans.map(({ recipient = '' }) => recipient),
  )
  const rows = plans.filter((_, index) => !faults[index]?.isRefused).map((plan) => transferRow(network, plan, block))
  const arrived = await covered(queries.takeTransfers(world.db, walletOf(world, network), rows))
  if (arrived.length > 0) await world.db.atomic((db) => tellArrivals(world, db, network, arrived))
  return faults.map(({ isSilent }) => isSilent)
}

function transferRow(network: Network, plan: PlanBody, block: bigint): queries.TransferRow {
  const {
    sender = '',
    nonce = '',
    recipient = '',
    memo = '',
    asset = '',
    amount = '0',
    feeAsset = '',
    fee = '0',
  } = plan
  const transfer = {
    sender,
    nonce,
    recipient,
    memo,
    asset,
    amount: BigInt(amount),
    feeAsset,
    fee: BigInt(fee),
    block,
    isEndless: false,
    returns: null,
  }
  return { ...transfer, hash: hashOf(network, transfer) }
}

async function lookAll(world: World, { chain, address }: queries.Wallet, nonces: string[]): Promise<PlanOutcome[]> {
  const known = await queries.transfers(world.db, chain, address, nonces)
  const now = currentBlock(world)
  const byNonce = new Map(known.map((transfer) => [transfer.nonce, transfer]))
  return nonces.map((nonce) => {
    const transfer = byNonce.get(nonce)
    if (!transfer) return { state: 'never' }
    const { hash, block, fee_asset: asset, fee: amount } = transfer
    return block > now
      ? { state: 'pending', lookAgainInMs: untilBlock(world, block) }
      : { state: 'done', evidence: { hash, fee: { asset, amount } } }
  })
}

const untilBlock = (world: World, block: bigint): number =>
  Math.max(1, timeOf(world, block).getTime() - world.clock.realNow().getTime() + 1)

/** Gives the exchange's wallet on a chain its first coins. Tells whether it was new. */
export const fundWallet = async (db: Db, network: Network, asset: string, amount: bigint): Promise<boolean> =>
  (await queries.fund(db, network.code, walletOf({ confirmations: {} }, network).address, asset, amount)).length > 0

/** The exchange's owner brings coins to its wallet on a chain or, below zero, takes them home. CONFLICT where there are not so many. */
export async function moveCoins(db: Db, network: Network, asset: string, by: bigint): Promise<void> {
  const { address } = walletOf({ confirmations: {} }, network)
  const moved = await covered(queries.shift(db, { chain: network.code, address, asset, by }))
  if (moved.length === 0) throw new Error(`There is no wallet for ${asset}.`)
}
