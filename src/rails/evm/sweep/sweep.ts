import { listingById } from '../../../reference/catalog/asset.ts'
import { bookedAsset, nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import { type Atomic, one } from '../../../platform/db/sql.ts'
import { after } from '../../../platform/lib/clock.ts'
import { leastOf, parseAmount } from '../../../platform/money/amount.ts'
import { balancesAt, leastBalance } from '../balance.ts'
import type { Chain } from '../chain.ts'
import { isHalted } from '../sending/halted.ts'
import { currentFees, estimateGas, gasBound } from '../sending/fees.ts'
import { lookAt } from '../sending/look.ts'
import { toHex } from '../node.ts'
import { gasPlan } from '../sending/queries.ts'
import { readFollow } from '../../chain/follows.sql.ts'
import { keptBack } from '../receipts.ts'
import { submitPlan } from '../sending/send.ts'
import type { Plan } from '../sending/sign.ts'
import { contractOf, transferCall } from '../tokens.ts'
import { beginMove, followMove } from './move.ts'
import * as queries from './queries.ts'

/** What keeping wallets on a chain has cost, of the chain's coin, and where it is missing now. */
export type Cost = { place: string; asset: string; amount: bigint }

/** Books what wallets have cost, in the block that marks it as booked. */
export type Charge = (db: Atomic, costs: Cost[]) => Promise<void>

/** The most addresses that one round looks at. */
const most = 10
const hourMs = 3_600_000
/** A coin is brought when it is worth this many times what bringing it costs. */
const worth = 10n

/**
 * Brings what lies on addresses of transactions to the hot wallet, a step for each that is due: gas for tokens, the transfer
 * itself, its end. Only the process that follows the chain does; a second one could not send anything twice, for each address
 * has one nonce at a time.
 */
export async function sweepOnce(chain: Chain): Promise<void> {
  const { db, clock, network, log } = chain
  for (const purse of await queries.duePurses(db, network.code, clock.realNow(), most)) {
    let wait = 60_000
    try {
      wait = await sweep(chain, purse)
    } catch (error) {
      log.warn({ err: error, network: network.code, address: purse.address }, 'An address could not be swept yet.')
    }
    await queries.lookAgain(db, network.code, purse, after(clock.realNow(), wait))
  }
}

/** Books what was spent on wallets since the last time. */
export const chargeCosts = ({ db, network, name }: Chain, charge: Charge): Promise<void> =>
  db.atomic(async (block) => {
    const spent = await queries.takeCosts(block, network.code)
    const amount = spent.reduce((sum, { cost }) => sum + cost, 0n)
    if (amount > 0n) await charge(block, [{ place: name, asset: nativeAsset(network).id, amount }])
  })

/** One step for one purse. Gives the milliseconds after which it is looked at again. */
async function sweep(chain: Chain, purse: queries.Purse): Promise<number> {
  const { db, network, settings } = chain
  const { address, asset } = purse
  const [open] = await queries.openMove(db, network.code, address)
  if (open) {
    await followMove(chain, purse, open)
    return settings.scanEveryMs
  }
  // A halt of payouts stops every movement of ours, the gas for one too. What is written down checks once more.
  if (await db.atomic((block) => isHalted(chain, block, asset))) return settings.scanEveryMs
  const [{ agreed_block: agreed } = { agreed_block: null }] = await readFollow(db, network.code)
  if (agreed === null) return settings.scanEveryMs
  const [now, [then = 0n]] = await Promise.all([
    leastBalance(chain, asset, address),
    balancesAt(chain, asset, [address], toHex(agreed)),
  ])
  if (now === 0n && then === 0n) {
    await queries.forgetPurse(db, network.code, purse, agreed)
    return 60_000
  }
  const amount = leastOf([now, then])
  const fees = amount === 0n ? undefined : await currentFees(chain)
  if (!fees) return amount === 0n ? settings.scanEveryMs : hourMs
  return asset === nativeAsset(network).id
    ? bringCoin(chain, purse, amount, fees.maxFee)
    : bringTokens(chain, purse, amount, fees.maxFee)
}

async function bringCoin(chain: Chain, purse: queries.Purse, amount: bigint, price: bigint): Promise<number> {
  const { db, network, keys, settings } = chain
  // Tokens there need their gas first.
  if ((await queries.assetsAt(db, network.code, purse.address)).length > 1) return settings.scanEveryMs
  const call = { from: purse.address, to: keys.hot, value: toHex(1n) }
  const gas = await estimateGas(chain, purse.asset, call)
  const leaving = amount - keptBack(network)
  if (leaving < gas * price * worth) return hourMs
  await beginMove(chain, purse, { asset: purse.asset, amount: leaving, gas, max_fee: price })
  return settings.scanEveryMs
}

async function bringTokens(chain: Chain, purse: queries.Purse, amount: bigint, price: bigint): Promise<number> {
  const { network, keys, settings } = chain
  const { address, asset } = purse
  if (await isGasUnderWay(chain, purse)) return settings.scanEveryMs
  if (amount < leastTokens(asset)) return hourMs
  const call = { from: address, to: contractOf(network, asset) ?? address, data: transferCall(keys.hot, amount) }
  const gas = leastOf([2n * (await estimateGas(chain, asset, call)), gasBound(chain, asset)])
  const [coins = 0n] = await balancesAt(chain, nativeAsset(network).id, [address], 'latest')
  const cost = gas * price + keptBack(network)
  if (coins < cost) return (await bringGas(chain, purse, { cost, coins })) ? settings.scanEveryMs : hourMs
  await beginMove(chain, purse, { asset, amount, gas, max_fee: price })
  return settings.scanEveryMs
}

/** Tokens are brought when they are three times what sending some usually costs. */
function leastTokens(asset: string): bigint {
  const [listing, own] = [listingById(asset), bookedAsset(asset)]
  return own && listing?.network.networkFee ? 3n * parseAmount(listing.network.networkFee, own) : 1n
}

/**
 * Gas goes to an address of ours under a plan like every other's, one after the other: as much as is missing, and no more for one
 * transfer than it costs, whatever a node says that lies there. False where nothing is brought.
 */
async function bringGas(
  chain: Chain,
  purse: queries.Purse,
  { cost, coins }: { cost: bigint; coins: bigint },
): Promise<boolean> {
  const { ended, brought } = await gasFor(chain, purse.address)
  const missing = cost - (coins > brought ? coins : brought)
  if (missing > 0n) await submitPlan(chain, gasOf(chain, purse, ended, missing))
  return missing > 0n
}

/** Whether gas is on its way to an address. It is followed to its end: only then is known what it cost. */
async function isGasUnderWay(chain: Chain, purse: queries.Purse): Promise<boolean> {
  const { ended, amount } = await gasFor(chain, purse.address)
  if (amount === null) return false
  const { state } = await lookAt(chain, gasOf(chain, purse, ended, amount))
  return state === 'pending'
}

const gasFor = async ({ db, network }: Chain, address: string) =>
  one(await queries.gasBrought(db, network.code, address))

function gasOf({ network }: Chain, { address, derivation }: queries.Purse, number: bigint, amount: bigint): Plan {
  const body = { gasFor: String(derivation), asset: nativeAsset(network).id, amount: String(amount) }
  return { key: `${gasPlan}${address} ${number}`, body }
}
