import { nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import { one } from '../../../platform/db/sql.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { leastOf } from '../../../platform/money/amount.ts'
import { leastBalance } from '../balance.ts'
import { type Chain, nodesOf } from '../chain.ts'
import { currentFees, estimateGas, type Fees, gasBound, raisedFees } from './fees.ts'
import type { SignedTransfer } from '../keys.ts'
import { isEnded } from '../../chain/ended.ts'
import { forgetRefusals, keepRefusals } from '../../chain/refusals.ts'
import { stampOf } from '../../chain/stamp.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import { isHalted } from './halted.ts'
import { NodeError } from '../../json-rpc.ts'
import { toHex } from '../node.ts'
import { readFollow } from '../../chain/follows.sql.ts'
import { readCounts } from '../read-blocks.ts'
import * as queries from './queries.ts'
import { movementOf, type Plan, sign, signedSend, signFirst, endUnsigned } from './sign.ts'
import { movesOn } from '../tokens.ts'
import { callOf } from '../transfer.ts'

/**
 * Brings a plan to the chain. The first time, it gets the wallet's next nonce, which is committed with all that decides the bytes;
 * then it is signed, and the hash is committed, before anything leaves. After that, the same bytes are brought again. Refuses with
 * CONFLICT, and takes no nonce, what the wallet does not have, what the chain would not carry out, what the signer refuses, and any
 * transfer while gas costs more than the operator's ceiling.
 */
export async function submitPlan(chain: Chain, plan: Plan): Promise<void> {
  const send = (await signedSend(chain, plan)) ?? (await makeSend(chain, plan))
  if (send?.state === 'open') await broadcast(chain, await signedAgain(chain, plan, send))
}

async function makeSend(chain: Chain, plan: Plan): Promise<queries.SendRow | undefined> {
  const { db, network, clock, keys } = chain
  const { key, body } = plan
  const { asset = '', amount: text = '0' } = body
  if (!movesOn(network, asset)) throw new Refusal('CONFLICT', `${asset} does not move on ${network.name}.`)
  const amount = BigInt(text)
  const coin = nativeAsset(network).id
  const [fees, coins, held, counts] = await Promise.all([
    currentFees(chain),
    leastBalance(chain, coin, keys.hot),
    leastBalance(chain, asset, keys.hot),
    readCounts(chain, keys.hot),
    chain.chainId(),
  ])
  if (!fees) throw new Refusal('CONFLICT', `Gas on ${network.name} costs more than the ceiling allows.`)
  if (held < amount) throw poor(network.name)
  const gas = await gasOf(chain, plan)

  const sender = keys.hot.toLowerCase()
  // A nonce too high would keep back all that follow. One too low, of a node that lags, is used already: what is final every node has.
  const counted = largest(leastOf(counts), await finalCount(chain, keys.hot))
  await queries.openWallet(db, network.code, sender, counted)
  for (;;) {
    const at = clock.realNow()
    const { unsigned, isOwn } = await db.atomic(async (block) => {
      const [wallet] = await queries.lockWallet(block, network.code, sender)
      if (await isEnded(block, network.code, key)) return { isOwn: true }
      if (await isHalted(chain, block, asset)) throw halted(network.name)
      const [before] = await queries.unsignedSend(block, network.code, sender)
      if (before) return { unsigned: before, isOwn: false }
      const [known] = await queries.sendOf(block, network.code, key)
      if (known) return { isOwn: false }
      const [open] = await queries.promised(block, network.code, { sender, asset })
      if (!wallet || !open) throw new Error('A wallet is not known.')
      const cost = gas * fees.maxFee + open.fees
      const short = held - open.amount < amount || coins - (asset === coin ? open.amount + amount : 0n) < cost
      if (short) throw poor(network.name)

      const nonce = wallet.next_nonce > counted ? wallet.next_nonce : counted
      const stamp = stampOf(chain, { payout: key, body })
      const fresh = { network: network.code, sender, nonce, planKey: key, body, stamp, asset, amount, gas, ...fees, at }
      return { unsigned: one(await queries.insertSend(block, fresh)), isOwn: true }
    })
    if (!unsigned && isOwn) return undefined
    if (unsigned && isOwn) await signFirst(chain, unsigned, at)
    else if (unsigned) await endUnsigned(chain, unsigned)
    const [send] = await queries.sendOf(db, network.code, key)
    if (send && send.hashes.length > 0) return send
  }
}

const largest = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** How many transfers of an address are in the blocks that the nodes agree on, at least. Fails where a node lags and does not have them. */
async function finalCount(chain: Chain, address: string): Promise<bigint> {
  const [{ agreed_block: agreed } = { agreed_block: null }] = await readFollow(chain.db, chain.network.code)
  return agreed === null ? 0n : leastOf(await readCounts(chain, address, toHex(agreed)))
}

const halted = (name: string): Refusal => new Refusal('CONFLICT', `Nothing is sent on ${name} now: it was halted.`)
const poor = (name: string): Refusal => new Refusal('CONFLICT', `The wallet on ${name} holds less than should leave.`)
const columnsOf = ({ maxFee, priorityFee }: Fees) => ({ max_fee: maxFee, priority_fee: priorityFee })

const plainGas = 21_000n

/** What the transfer will use, with a quarter more where code runs. */
async function gasOf(chain: Chain, plan: Plan): Promise<bigint> {
  const { to, value, data } = callOf(chain.keys, movementOf(chain, plan))
  try {
    const call = { from: chain.keys.hot, to, value: toHex(value), data }
    const { asset = '' } = plan.body
    const gas = await estimateGas(chain, asset, call)
    return gas === plainGas ? gas : leastOf([(gas * 5n) / 4n, gasBound(chain, asset)])
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    throw new Refusal('CONFLICT', `${chain.network.name} would not carry this transfer out: ${error.message}`)
  }
}

/** Signs a send's last candidate as it was signed before. Fails if the bytes are not those that were fixed. */
async function signedAgain(chain: Chain, plan: Plan, send: queries.SendRow): Promise<SignedTransfer> {
  const { nonce, gas, max_fee: maxFee, priority_fee: priorityFee, stamp } = send
  const signed = await sign(chain, plan, { nonce, gas, maxFee, priorityFee, stamp })
  if (signed.hash !== send.hashes.at(-1)) throw new Error('A plan no longer gives the bytes that were fixed for it.')
  return signed
}

/** How nodes say that they have these bytes, or that another transfer has their nonce. A look finds out which. */
const knownAlready = /already known|already imported|already exists|nonce too low|replacement transaction underpriced/i

/**
 * Brings signed bytes to both nodes; one that takes them is enough. That it has them, or another transfer of the same nonce, is no
 * failure.
 */
export async function broadcast(chain: Pick<Chain, 'node' | 'second'>, { raw }: SignedTransfer): Promise<void> {
  const answers = await Promise.allSettled(nodesOf(chain).map((one) => one.ask('eth_sendRawTransaction', raw)))
  const failures = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const isKnown = (error: unknown): boolean => error instanceof NodeError && knownAlready.test(error.message)
  if (failures.length === answers.length && !failures.some(isKnown)) throw failures[0]
}

/**
 * Brings what is in no block once more, since nodes forget; and a dearer one, under the same nonce, if it has waited for long while
 * nothing but its price keeps it back.
 */
export async function rebroadcast(chain: Chain, plan: Plan, send: queries.SendRow): Promise<void> {
  const { clock, keys, settings, network, log } = chain
  const waited = clock.realNow().getTime() - send.made_at.getTime()
  const isNext = async () => (await readCounts(chain, keys.hot)).includes(send.nonce)
  const last = waited >= settings.bumpAfterMs && (await isNext()) ? await raiseFee(chain, plan, send) : send
  try {
    await broadcast(chain, await signedAgain(chain, plan, last))
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof SignerRefusal)) throw error
    log.warn({ err: error, network: network.code, plan: plan.key }, 'A payout could not be brought again yet.')
  }
}

/** Writes a dearer candidate down, unless that is halted, and signs it. Gives the send as it is then. */
async function raiseFee(chain: Chain, plan: Plan, send: queries.SendRow): Promise<queries.SendRow> {
  const { db, network, clock, log } = chain
  const fees = raisedFees(chain, { maxFee: send.max_fee, priorityFee: send.priority_fee }, await currentFees(chain))
  if (!fees) {
    log.warn({ network: network.code, plan: plan.key }, 'A payout waits: gas costs more than the ceiling allows.')
    return send
  }
  const raise = { number: send.number + 1, gas: send.gas, ...columnsOf(fees), made_at: clock.realNow() }
  const isWritten = await db.atomic(async (block) => {
    await queries.lockOpenSend(block, send.id)
    // In this order: one that is signed in between is the send's.
    const waiting = await queries.unsignedRaise(block, send.id)
    const [now] = await queries.sendOf(block, network.code, plan.key)
    if (waiting.length > 0 || now?.state !== 'open' || now.number !== send.number) return false
    if (await isHalted(chain, block, plan.body.asset ?? '')) return false
    queries.insertRaise(block, send.id, raise)
    return true
  })
  if (isWritten) await signRaise(chain, plan, send)
  const [now] = await queries.sendOf(db, network.code, plan.key)
  return now ?? send
}

/**
 * Signs a dearer candidate that is written down, if there is one, and keeps it. False where nobody knows yet whether it is signed: then
 * a transfer with the nonce may be it.
 */
export async function signRaise(chain: Chain, plan: Plan, { id, nonce, stamp }: queries.SendRow): Promise<boolean> {
  const { db, network, log } = chain
  const [raise] = await queries.unsignedRaise(db, id)
  if (!raise) return true
  const { gas, max_fee: maxFee, priority_fee: priorityFee } = raise
  try {
    const { hash } = await sign(chain, plan, { nonce, gas, maxFee, priorityFee, stamp })
    await db.atomic(async (block) => {
      queries.keepRaise(block, id, plan.key, { ...raise, hash })
    })
    await forgetRefusals(db, network.code, [plan.key])
    return true
  } catch (error) {
    if (!(error instanceof SignerRefusal)) throw error
    log.warn({ err: error, network: network.code, plan: plan.key }, 'The signer refused a higher fee; a payout waits.')
    // A halted signer may have signed this before it was halted. Any other refusal means that it never did.
    if (error.code === 'halted') return false
    await queries.dropRaise(db, id, raise)
    await keepRefusals(chain, [plan.key], error)
    return true
  }
}
