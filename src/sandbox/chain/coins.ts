import { assetById } from '../../reference/catalog/asset.ts'
import type { Network } from '../../reference/catalog/network.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { type QueuedCallback, queueCallbacks } from '../callback.ts'
import { covered } from '../overdraft.ts'
import { dropCallbacks } from '../queries.ts'
import type { World } from '../world.ts'
import { currentBlock, timeOf } from './block.ts'
import * as queries from './queries.ts'
import { chainName, hashOf, pooledWallet, testWallet, walletOf } from './wallet.ts'
import { type Message, type Status, messageOf } from './messages.ts'

/**
 * Coins that a customer sends. `extraId` is the memo, and means nothing on a chain without memos. `isPooled`: they come out of a
 * wallet that many persons send from.
 */
export type SentCoins = {
  network: Network
  asset: string
  amount: bigint
  address: string
  extraId: string
  isPooled?: boolean
}

/**
 * Sends coins from a test customer's endless wallet; they are in the next block. A transfer to the exchange's wallet is
 * reported then, and again when it is final. Refuses coins of another chain. Gives the transfer's hash, twice.
 */
export async function sendCoins(
  world: World,
  { network, asset, amount, address, extraId, isPooled = false }: SentCoins,
): Promise<{ id: string; hash: string }> {
  if (bookedAsset(asset)?.network !== network.code) {
    throw badField('currency', `${assetById(asset)?.ticker ?? asset} does not move on ${network.name}.`)
  }
  const transfer = {
    sender: isPooled ? pooledWallet(network) : testWallet(network),
    nonce: randomToken(),
    recipient: address,
    memo: extraId,
    asset,
    amount,
    feeAsset: asset,
    fee: 0n,
    block: currentBlock(world) + 1n,
    isEndless: true,
    returns: null,
  }
  const hash = hashOf(network, transfer)
  await world.db.atomic(async (db) => {
    const arrived = await queries.takeTransfers(db, walletOf(world, network), [{ ...transfer, hash }])
    await reportArrivals(world, db, network, arrived)
  })
  return { id: hash, hash }
}

/** Queues callbacks about transfers to the wallet: one when they are in a block, one when they are final. */
export const reportArrivals = (world: World, db: Atomic, network: Network, arrived: queries.Arrival[]): Promise<void> =>
  queueCallbacks(
    world,
    db,
    arrived.flatMap((one) =>
      one.returns === null
        ? [owed(world, network, one, 'seen'), owed(world, network, one, 'final')]
        : [owed(world, network, one, 'returned')],
    ),
  )

const owed = (world: World, network: Network, arrival: queries.Arrival, status: Status): QueuedCallback => ({
  rail: chainName(network),
  message: messageOf(arrival, status),
  dueAt: timeOf(world, status === 'seen' ? arrival.block : arrival.final_block),
  transferId: arrival.id,
})

/** The payee sends a whole payout back to the wallet. CONFLICT if it was not in a block yet, or came back before. */
export async function sendBack(world: World, network: Network, planKey: string): Promise<void> {
  const wallet = walletOf(world, network)
  const [paid] = await queries.transfers(world.db, network.code, wallet.address, [planKey])
  const block = currentBlock(world)
  if (!paid || paid.block > block) throw new Refusal('CONFLICT', 'Nothing has been paid out that could come back.')
  const transfer = {
    sender: paid.recipient,
    nonce: `returns ${planKey}`,
    recipient: wallet.address,
    memo: '',
    asset: paid.asset,
    amount: paid.amount,
    feeAsset: paid.asset,
    fee: 0n,
    block: block + 1n,
    isEndless: false,
    returns: planKey,
  }
  await covered(
    world.db.atomic(async (db) => {
      const arrived = await queries.takeTransfers(db, wallet, [{ ...transfer, hash: hashOf(network, transfer) }])
      if (arrived.length === 0) throw new Refusal('CONFLICT', 'This payout was already returned.')
      await reportArrivals(world, db, network, arrived)
    }),
  )
}

/** Blocks after the next one in which transfers that were taken out of theirs are mined again. */
const minedLater = 3n

/** Undoes the blocks of transfers to a reference and of the wallet's own plans. CONFLICT if no such transfer is in a block. */
export async function undoBlocks(
  world: World,
  network: Network,
  reference: string | undefined,
  planKeys: string[],
): Promise<void> {
  const wallet = walletOf(world, network)
  const block = currentBlock(world)
  await covered(
    world.db.atomic(async (db) => {
      const dropped = reference === undefined ? [] : await queries.drop(db, wallet, { reference, block })
      const later = block + minedLater
      const again = planKeys.length === 0 ? [] : await queries.mineAgain(db, wallet, { nonces: planKeys, block, later })
      if (dropped.length + again.length === 0) throw new Refusal('CONFLICT', 'Nothing of this is in a block.')
      dropCallbacks(
        db,
        dropped.map(({ id }) => id),
      )
      await queueCallbacks(
        world,
        db,
        dropped.map((one) => ({
          rail: chainName(network),
          message: messageOf(one, 'reversed'),
          dueAt: world.clock.realNow(),
        })),
      )
    }),
  )
}

/** Whether coins were sent to a reference, be they in a block yet or not. */
export const isSent = async ({ db }: Pick<World, 'db'>, { code }: Network, reference: string): Promise<boolean> =>
  (await queries.arrivals(db, code, reference)).length > 0

/**
 * The messages about transfers to a reference so far, in order: in a block, then final. A dropped transfer was seen and then
 * reversed.
 */
export async function messagesAbout(world: World, network: Network, reference: string): Promise<Message[]> {
  const block = currentBlock(world)
  const arrived = await queries.arrivals(world.db, network.code, reference)
  return arrived.flatMap((one) => {
    if (one.block > block) return []
    const seen = messageOf(one, 'seen')
    if (one.is_dropped) return [seen, messageOf(one, 'reversed')]
    return one.final_block > block ? [seen] : [seen, messageOf(one, 'final')]
  })
}
