import { nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import type { Chain } from '../chain.ts'
import { currentFees, raisedFees } from '../sending/fees.ts'
import type { SignedTransfer } from '../keys.ts'
import { costOf } from '../sending/look.ts'
import type { Receipt } from '../tokens.ts'
import { readHashes, readHead } from '../read-blocks.ts'
import { broadcast } from '../sending/send.ts'
import * as queries from './queries.ts'

/** What leaves an address of a transaction: `amount` of an asset, of the coin with the gas that it costs. */
export type Leaving = Pick<queries.Move, 'asset' | 'amount' | 'gas' | 'max_fee'>

/** Fixes a transfer to the hot wallet, commits it, and brings it to the chain. */
export async function beginMove(chain: Chain, { address, derivation }: queries.Purse, leaving: Leaving): Promise<void> {
  const { db, network, node, clock } = chain
  const nonce = BigInt(await node.ask<string>('eth_getTransactionCount', address, 'latest'))
  const signed = await sign(chain, derivation, { ...leaving, nonce })
  const move = { ...leaving, address, nonce, hashes: [signed.hash], made_at: clock.realNow() }
  await db.atomic(async (block) => {
    queries.insertMove(block, network.code, move)
  })
  await broadcast(chain, signed)
}

/**
 * The whole gas price goes to the block's maker: so the cost of a transfer is known to the last wei, and an address that is swept
 * is empty.
 */
async function sign(
  { keys, network, ...chain }: Chain,
  derivation: bigint,
  { asset, amount: leaving, gas, max_fee: maxFee, nonce }: Leaving & { nonce: bigint },
): Promise<SignedTransfer> {
  const chainId = await chain.chainId()
  const amount = asset === nativeAsset(network).id ? leaving - gas * maxFee : leaving
  const movement = { network: network.code, asset, amount, route: { sweepOf: derivation } }
  return keys.sign({ ...movement, chainId, nonce, gas, maxFee, priorityFee: maxFee })
}

/** Looks what became of a transfer: ends it when it is final, else brings it again, and raisedFees when it has waited for long. */
export async function followMove(chain: Chain, { derivation }: queries.Purse, move: queries.Move): Promise<void> {
  const { db, node, network, confirmations } = chain
  const receipts = await node.askAll<Receipt | null>(
    move.hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  const receipt = receipts.find((one) => one !== null)
  if (!receipt) {
    const last = await raised(chain, derivation, move)
    return broadcast(chain, await sign(chain, derivation, last))
  }
  const block = BigInt(receipt.blockNumber)
  if (block > (await readHead(chain)) - BigInt(confirmations) + 1n) return
  const [standing] = await readHashes(chain, [block])
  if (standing !== receipt.blockHash) return
  // The gas of tokens was booked when it was brought, unless it was taken from coins that the books count there.
  const coin = nativeAsset(network).id
  const counts = (await queries.assetsAt(db, network.code, move.address)).some(({ asset }) => asset === coin)
  await queries.endMove(db, move.id, counts ? costOf(receipt) : null)
}

async function raised(chain: Chain, derivation: bigint, move: queries.Move): Promise<queries.Move> {
  const { db, clock, settings } = chain
  const at = clock.realNow()
  if (at.getTime() - move.made_at.getTime() < settings.bumpAfterMs) return move
  const before = { maxFee: move.max_fee, priorityFee: move.max_fee }
  const fees = raisedFees(chain, before, await currentFees(chain))
  if (!fees || move.amount <= move.gas * fees.maxFee) return move
  const last = { ...move, max_fee: fees.maxFee, made_at: at }
  const { hash } = await sign(chain, derivation, last)
  const kept = { ...last, hashes: [...move.hashes, hash] }
  await db.atomic(async (block) => {
    queries.raiseMove(block, move.id, kept)
  })
  return kept
}
