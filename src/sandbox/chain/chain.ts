import { type Network, networks } from '../../reference/catalog/network.ts'
import type { Db } from '../../platform/db/sql.ts'
import { gather } from '../../platform/lib/gather.ts'
import type { DepositHalf, PayoutHalf, PayoutOrder, PlanBody, PlanDraft, PlanOutcome, Rail } from '../../rails/rail.ts'
import type { StatementLine } from '../../rails/statement.ts'
import { readMessages } from '../callback.ts'
import { takeFaults } from '../fault.ts'
import { covered } from '../overdraft.ts'
import { realTime, statementOf } from '../statement.ts'
import type { World } from '../world.ts'
import { blockAt, blockMsOf, currentBlock, timeOf } from './block.ts'
import { reportArrivals, messagesAbout } from './coins.ts'
import * as queries from './queries.ts'
import { chainName, depositAddress, hashOf, pooledWallet, transferCost, walletOf } from './wallet.ts'
import { toRailEvent, messageFields } from './messages.ts'

/** Every chain of the catalog, played by the sandbox. */
export const chainRails = (world: World): Rail[] => networks.map((network) => chainRail(world, network))

function chainRail(world: World, network: Network): Rail {
  const name = chainName(network)
  const wallet = walletOf(world, network)
  return {
    name,
    custodyAccount: `wallet-${network.code.toLowerCase()}`,
    serves: [{ directions: ['deposit', 'payout'], categories: ['CRYPTO'], networks: [network.code] }],
    deposit: deposits(world, network, wallet),
    payout: payouts(world, network, wallet),
    readCallback: async (request) => ({
      events: readMessages(world, { rail: name, fields: messageFields }, request).map(toRailEvent),
    }),
    balance: (asset) => balanceOf(world, wallet, asset),
    statement: ({ since }) => bookingsOf(world, wallet, since),
  }
}

function deposits(world: World, network: Network, wallet: queries.Wallet): DepositHalf {
  const watch = gather(async (rows: { address: string; memo: string }[]) => {
    await queries.watch(
      world.db,
      rows.map((row) => ({ ...row, chain: network.code })),
    )
    return rows.map(() => undefined)
  })
  return {
    confirmations: wallet.confirmations,
    instruct: async ({ id }) => {
      const { address, extraId } = depositAddress(network, wallet, id)
      await watch({ address, memo: extraId })
      const reference = wallet.usesMemos ? `${address}?${extraId}` : address
      return { reference, payTo: { kind: 'address', address, extraId } }
    },
    look: async (reference) => (await messagesAbout(world, network, reference)).map(toRailEvent),
    origin: async (payment) => {
      const [transfer] = await queries.senderOf(world.db, network.code, payment)
      if (!transfer || transfer.sender === wallet.address || transfer.sender === pooledWallet(network)) return 'unknown'
      return { address: transfer.sender, extraId: '', holder: '' }
    },
  }
}

function payouts(world: World, network: Network, wallet: queries.Wallet): PayoutHalf {
  const send = gather((plans: PlanBody[]) => submitAll(world, network, plans))
  const look = gather((nonces: string[]) => lookAll(world, wallet, nonces), { most: 256 })
  return {
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
  }
}

async function bookingsOf(world: World, wallet: queries.Wallet, since: Date): Promise<StatementLine[]> {
  const rows = await queries.bookings(world.db, wallet, blockAt(world, realTime(world, since)), currentBlock(world))
  return statementOf(
    world,
    rows.map(({ hash, key, reference, block, asset, amount }) => ({
      payment: hash,
      reference: key ?? reference ?? '',
      asset,
      amount,
      at: timeOf(world, block),
    })),
  )
}

const balanceOf = async (world: World, wallet: queries.Wallet, asset: string): Promise<bigint> =>
  (await queries.balance(world.db, wallet, asset, currentBlock(world)))[0]?.balance ?? 0n

/** The nonce is the payout's number: a second transfer for the same payout is one that the chain has seen. */
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
 * Brings transfers to the chain: they are in its next block. Gives for each whether its answer is lost. One to an address of
 * ours (a customer pays out into another order) is reported like every other transfer to us; if this process dies before, a look-up
 * finds it. A transfer that the chain refuses never gets there.
 */
async function submitAll(world: World, network: Network, plans: PlanBody[]): Promise<boolean[]> {
  const block = currentBlock(world) + 1n
  const faults = await takeFaults(
    world,
    plans.map(({ recipient = '' }) => recipient),
  )
  const rows = plans.filter((_, index) => !faults[index]?.isRefused).map((plan) => transferRow(network, plan, block))
  const arrived = await covered(queries.takeTransfers(world.db, walletOf(world, network), rows))
  if (arrived.length > 0) await world.db.atomic((db) => reportArrivals(world, db, network, arrived))
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

/** The exchange's owner brings coins to its wallet on a chain or, below zero, takes them home. CONFLICT if the wallet holds less. */
export async function moveCoins(db: Db, network: Network, asset: string, by: bigint): Promise<void> {
  const { address } = walletOf({ confirmations: {} }, network)
  const moved = await covered(queries.shift(db, { chain: network.code, address, asset, by }))
  if (moved.length === 0) throw new Error(`There is no wallet for ${asset}.`)
}
