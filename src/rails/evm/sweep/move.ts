import { nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import type { Chain } from '../chain.ts'
import { currentFees, raisedFees } from '../sending/fees.ts'
import type { SignedTransfer } from '../keys.ts'
import { NoAnswer } from '../../json-rpc.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import { isHalted } from '../sending/halted.ts'
import { readCounts } from '../read-blocks.ts'
import { costOf, fateOf } from '../receipts.ts'
import { broadcast } from '../sending/send.ts'
import * as queries from './queries.ts'

/** What leaves an address of a transaction: `amount` of an asset, of the coin with the gas that it costs. */
export type Leaving = Pick<queries.Move, 'asset' | 'amount' | 'gas' | 'max_fee'>

/** Writes a transfer to the hot wallet down, unless that is halted, signs it, and brings it to the chain. */
export async function beginMove(chain: Chain, { address, derivation }: queries.Purse, leaving: Leaving): Promise<void> {
  const { db, network, clock } = chain
  const [nonce = 0n, ...others] = await readCounts(chain, address)
  if (others.some((other) => other !== nonce)) throw new NoAnswer(`The nodes of ${network.code} say different nonces.`)
  const move = { ...leaving, address, nonce, made_at: clock.realNow() }
  const [written] = await db.atomic(async (block) =>
    (await isHalted(chain, block, leaving.asset)) ? [] : queries.insertMove(block, network.code, move),
  )
  const signed = written && (await signAsked(chain, derivation, written))
  if (signed) await broadcast(chain, signed)
}

/** Signs what is written down, and keeps it. Undefined where the signer refuses: then it is taken back. */
async function signAsked(chain: Chain, derivation: bigint, move: queries.Move): Promise<SignedTransfer | undefined> {
  const { db, clock, network, log } = chain
  let signed: SignedTransfer
  try {
    signed = await sign(chain, derivation, { ...move, max_fee: move.asked_fee ?? move.max_fee })
  } catch (err) {
    // A halted signer may have signed this before it was halted. Any other refusal means that it never did.
    if (!(err instanceof SignerRefusal) || err.code === 'halted') throw err
    await db.atomic(async (block) => {
      queries.dropAsked(block, move)
    })
    log.warn({ err, network: network.code, address: move.address }, 'The signer refused to bring coins to our wallet.')
    return undefined
  }
  await db.atomic(async (block) => {
    queries.keepMove(block, move, signed.hash, clock.realNow())
  })
  return signed
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

/** Looks what became of a transfer: ends it when it is final, else brings it again, and a dearer one when it has waited for long. */
export async function followMove(chain: Chain, { derivation }: queries.Purse, move: queries.Move): Promise<void> {
  const { db, network } = chain
  const { known, receipt } = await fateOf(chain, move)
  if (!receipt) {
    if (known === 'all') return
    // What was written down when a process ended, or was halted, gets its signature first.
    const asked = move.asked_fee === null ? await raised(chain, move) : move
    const fresh = asked && (await mayMove(chain, move)) ? await signAsked(chain, derivation, asked) : undefined
    const signed = fresh ?? (move.hashes.length > 0 ? await sign(chain, derivation, move) : undefined)
    return signed && broadcast(chain, signed)
  }
  // The gas of tokens was booked when it was brought, unless it was taken from coins that the books count there.
  const coin = nativeAsset(network).id
  const counts = (await queries.assetsAt(db, network.code, move.address)).some(({ asset }) => asset === coin)
  await queries.endMove(db, move.id, counts ? costOf(receipt) : null)
}

const mayMove = async (chain: Chain, { asset }: queries.Move): Promise<boolean> =>
  !(await chain.db.atomic((block) => isHalted(chain, block, asset)))

/** A move that has waited for long with a higher price, which is written down; undefined where there is none now, or it is halted. */
async function raised(chain: Chain, move: queries.Move): Promise<queries.Move | undefined> {
  const { db, clock, settings } = chain
  if (clock.realNow().getTime() - move.made_at.getTime() < settings.bumpAfterMs) return undefined
  const before = { maxFee: move.max_fee, priorityFee: move.max_fee }
  const fees = raisedFees(chain, before, await currentFees(chain))
  if (!fees || move.amount <= move.gas * fees.maxFee) return undefined
  const written = await db.atomic(async (block) =>
    (await isHalted(chain, block, move.asset)) ? [] : queries.raiseMove(block, move, fees.maxFee),
  )
  return written.length === 0 ? undefined : { ...move, asked_fee: fees.maxFee }
}
