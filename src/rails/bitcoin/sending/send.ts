import type { Atomic } from '../../../platform/db/sql.ts'
import { keepRefusals } from '../../chain/refusals.ts'
import type { SignerRefusal } from '../../keys/signer.ts'
import type { Reports } from '../../two-nodes.ts'
import type { Chain } from '../chain.ts'
import * as follows from '../../chain/follows.sql.ts'
import { affordable, type Batch, sift } from './batch.ts'
import { currentRate, mostFee } from './fees.ts'
import * as queries from './queries.ts'
import { complete, type SpendableCoin, sumOf } from './select.ts'
import { inFence, isHalted, isRefused, signWritten, writeSend } from './sign-written.ts'

/** The most payments of one transfer. */
const mostPayments = 100
/** How deep a transfer is buried before its recipients are removed. */
const buried = 100n

/** The state of one look: the fence of the lease, and the transfers in the node's mempool. */
export type Look = { fence: bigint; waiting: string[] }

/**
 * Sends what is due: asks for the signatures that a crash has left open, brings transfers that are in no block to the nodes again,
 * raises fees that have kept one waiting for too long, and pays all payouts that wait in one transfer. While payouts are halted
 * nothing new is signed; what was signed before is still brought.
 */
export async function sendOnce(chain: Chain, { fence, waiting }: Look): Promise<void> {
  const { db, network, signer } = chain
  if (!signer) return
  const halted = await db.atomic((block) => isHalted(chain, block))
  const inMempool = new Set(waiting)
  const open = await queries.openSends(db, network.code)
  for (const { raw, txids } of open) {
    if (raw !== null && !txids.some((txid) => inMempool.has(txid))) await broadcast(chain, raw)
  }
  if (halted) return
  for (const send of open) {
    const raw = await signedNow(chain, fence, send)
    if (raw !== undefined) await broadcast(chain, raw)
  }
  await sendWaiting(chain, fence)
}

/** What is signed of a transfer in this look: an attempt that was written down before, or one with a higher fee. */
async function signedNow(chain: Chain, fence: bigint, send: queries.OpenSend): Promise<string | undefined> {
  const { clock, bumpAfterMs, rules, network, log } = chain
  const isLate = clock.now().getTime() - send.made_at.getTime() >= bumpAfterMs
  const mayRaise = send.is_broken || (send.state === 'open' && isLate && rules.isReplaceable)
  try {
    if (!send.is_signed) return await signWritten(chain, fence, send.id)
    return mayRaise ? await raise(chain, fence, send) : undefined
  } catch (error) {
    // It waits, and keeps back nothing else.
    if (!isRefused(error)) throw error
    log.warn({ err: error, network: network.code, send: String(send.id) }, 'The signer refused a transfer.')
    if (send.is_signed) await keepRefusals(chain, await refusedOf(chain, send, error), error)
    return undefined
  }
}

/** The payouts of a transfer that a refusal is about: those that it names, or all. */
async function refusedOf({ db }: Chain, { id }: queries.OpenSend, { payouts }: SignerRefusal): Promise<string[]> {
  const keys = (await queries.paymentsOf(db, id)).map(({ payout }) => payout)
  const named = keys.filter((key) => payouts.includes(key))
  return named.length > 0 ? named : keys
}

/** Pays what waits in one transfer, and continues while the signer refuses a whole batch. With nothing that waits, gathers coins. */
async function sendWaiting(chain: Chain, fence: bigint): Promise<void> {
  const { db, network, clock, log } = chain
  const now = clock.realNow()
  const isWaiting = async () => (await queries.hasWaiting(db, network.code, now)).length > 0
  const coins = await queries.spendableCoins(db, network.code)
  if (!(await isWaiting())) return gatherSmall(chain, fence, coins)
  const rate = await currentRate(chain)
  do {
    const waiting = await queries.waitingPayments(db, network.code, { now, below: sumOf(coins), limit: mostPayments })
    const batch = affordable(chain, { coins, waiting, rate })
    const sent = batch && (await sendPayments(chain, fence, { coins, rate, batch }))
    if (!sent) return log.warn({ network: network.code }, 'Payouts wait for coins.')
    if (sent.raw !== undefined) return broadcast(chain, sent.raw)
  } while (await isWaiting())
}

/**
 * Pays a batch in one transfer, or as much of it as the signer signs: what it refuses waits, and keeps back nothing else. Gives the
 * bytes that are to be broadcast, none where it refused everything; undefined where the coins do not suffice for what it would sign.
 */
async function sendPayments(
  chain: Chain,
  fence: bigint,
  { coins, rate, batch }: { coins: SpendableCoin[]; rate: bigint; batch: Batch },
): Promise<{ raw?: string } | undefined> {
  const { network } = chain
  const send = await writeSend(chain, fence, batch)
  try {
    return { raw: await signWritten(chain, fence, send) }
  } catch (error) {
    if (!isRefused(error)) throw error
    const { refused, rest } = sift(batch, error)
    if (refused.length > 0) {
      const keys = refused.map(({ payout }) => payout)
      await keepRefusals(chain, keys, error)
      chain.log.warn({ err: error, network: network.code, payouts: keys }, 'The signer refused payouts; they wait.')
    }
    if (rest.length === 0) return {}
    const smaller = affordable(chain, { coins, waiting: rest, rate })
    return smaller && sendPayments(chain, fence, { coins, rate, batch: smaller })
  }
}

/** How many outputs a wallet may have before small ones are gathered, and how many one transfer gathers. */
const manyCoins = 200
const gathered = 100

/**
 * Gathers the smallest outputs in one, while nothing is due and fees are low: spending them later, in a hurry, would cost more. The
 * cost is booked, since no payout bears it.
 */
async function gatherSmall(chain: Chain, fence: bigint, coins: SpendableCoin[]): Promise<void> {
  const { rules, wallet } = chain
  if (coins.length <= manyCoins) return
  const rate = await currentRate(chain)
  if (rate > rules.rate.least * 2n) return
  const inputs = coins.slice(-gathered)
  const selection = complete(rules, { inputs, payments: [], rate, changeScript: wallet.script })
  if (!selection) return
  await broadcast(chain, await signWritten(chain, fence, await writeSend(chain, fence, { payments: [], selection })))
}

/**
 * Makes another attempt of a transfer: at what is right now, and at least a quarter more than before. It spends every input of the
 * one before, so that only one of them can be in the chain; change pays for it, or another coin. What a reorganization has taken
 * permanently is left out, and some first input always stays. Undefined where the payouts' reserves do not allow it.
 */
async function raise(chain: Chain, fence: bigint, send: queries.OpenSend): Promise<string | undefined> {
  const { db, network, clock, rules, wallet, log } = chain
  const [known, payments] = await Promise.all([queries.inputsOf(db, send.id), queries.paymentsOf(db, send.id)])
  const lost = known.filter((input) => input.is_lost)
  const inputs = known.filter((input) => !input.is_lost)
  if (!inputs.some(({ since }) => since === 1)) {
    log.error(
      { network: network.code, send: String(send.id) },
      'A transfer has lost all its inputs to a reorganization.',
    )
    return undefined
  }
  const rate = largest(await currentRate(chain), ((send.fee / BigInt(send.size)) * 5n) / 4n + rules.rate.least)
  const most = mostFee(chain) * BigInt(Math.max(payments.length, 1))
  const spare = await queries.spendableCoins(db, network.code)
  for (let added = 0; added <= spare.length; added += 1) {
    const more = spare.slice(0, added)
    const found = complete(rules, { inputs: [...inputs, ...more], payments, rate, changeScript: wallet.script })
    if (!found) continue
    // Nodes ask for the old fee, and for the relay of the new bytes on top.
    const least = lost.length > 0 ? 0n : send.fee + rules.rate.least * BigInt(found.size)
    if (found.fee > most || found.fee < least) return undefined
    const { fee, size, change } = found
    const attempt = { number: send.number + 1, fee, size, change, at: clock.now() }
    await inFence(chain, fence, (block) => {
      queries.dropLostInputs(block, send.id, lost)
      queries.insertInputs(block, send.id, more, attempt.number)
      queries.insertAttempt(block, send.id, attempt)
    })
    return signWritten(chain, fence, send.id)
  }
  return undefined
}

const largest = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Hands bytes to both nodes. A no changes nothing: the same bytes are brought again, and the chain decides. */
async function broadcast({ node, second, network, log }: Chain, raw: string): Promise<void> {
  for (const to of second ? [node, second] : [node]) {
    try {
      await to.ask('sendrawtransaction', raw)
    } catch (error) {
      log.warn({ err: error, network: network.code }, 'A node did not take a transfer; trying again.')
    }
  }
}

/** Ends transfers that are final, within the block that says so. */
export function endSends(
  { network }: Pick<Chain, 'network'>,
  db: Atomic,
  { upTo, unclear }: { upTo: bigint; unclear: readonly bigint[] },
): void {
  follows.keepAgreed(db, network.code, upTo)
  queries.endSends(db, network.code, { upTo, unclear })
  queries.forgetRecipients(db, network.code, upTo - buried)
}

/** Books what transfers between our own addresses have cost. */
export const chargeCosts = ({ db, network, name, rules }: Chain, charge: Reports['charge']): Promise<void> =>
  db.atomic(async (block) => {
    const spent = await queries.takeCosts(block, network.code)
    const amount = spent.reduce((sum, { cost }) => sum + cost, 0n)
    if (amount > 0n) await charge(block, [{ place: name, asset: rules.asset, amount }])
  })
