import { type Node, NodeError } from '../../json-rpc.ts'
import type { Atomic } from '../../../platform/db/sql.ts'
import type { Chain } from '../chain.ts'
import type { Reports } from '../../two-nodes.ts'
import type { SignedTransfer, SignPlan } from '../keys.ts'
import { payoutsHalted } from '../../halts.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import * as chainQueries from '../queries.ts'
import { currentRate, mostFee } from './fees.ts'
import * as queries from './queries.ts'
import { complete, type Selection, selectCoins, type SpendableCoin, sumOf } from './select.ts'

/** The most payments of one transfer. */
const mostPayments = 100
/** How deep a transfer is buried before its recipients are removed. */
const buried = 100n

/** The state of one look: the fence of the lease, and the transfers in the node's mempool. */
export type Look = { fence: bigint; waiting: string[] }

/**
 * Sends what is due: brings transfers that are in no block to the nodes again, raises fees that have kept one waiting for too long,
 * and pays all payouts that wait in one transfer. What is signed is committed before it leaves.
 */
export async function sendOnce(chain: Chain, { fence, waiting }: Look): Promise<void> {
  const { db, network, clock, bumpAfterMs, rules, signer, log } = chain
  if (!signer || (await db.atomic((block) => isHalted(chain, block)))) return
  const inMempool = new Set(waiting)
  for (const send of await queries.openSends(db, network.code)) {
    const isLate = clock.now().getTime() - send.made_at.getTime() >= bumpAfterMs
    const mayRaise = send.is_broken || (send.state === 'open' && isLate && rules.isReplaceable)
    const raised = mayRaise ? await raise(chain, fence, send) : undefined
    if (raised !== undefined || !send.txids.some((txid) => inMempool.has(txid)))
      await broadcast(chain, raised ?? send.raw)
  }
  const payments = await queries.waitingPayments(db, network.code, mostPayments)
  if (payments.length === 0) return gatherSmall(chain, fence)
  const raw = await sendPayments(chain, fence, payments)
  if (raw === undefined) log.warn({ network: network.code, payouts: payments.length }, 'Payouts wait for coins.')
  else await broadcast(chain, raw)
}

/** Asked in the block that keeps what was signed: nothing new leaves once a halt is written. */
async function isHalted({ name, rules }: Chain, db: Atomic): Promise<boolean> {
  const halted = await payoutsHalted(db, name)
  return halted === 'all' || halted.has(rules.asset)
}

async function sendPayments(
  chain: Chain,
  fence: bigint,
  waiting: queries.WaitingPayment[],
): Promise<string | undefined> {
  const { db, network, wallet, rules } = chain
  const coins = await queries.spendableCoins(db, network.code)
  const chosen = affordable(chain, { coins, waiting, rate: await currentRate(chain) })
  if (!chosen) return undefined
  const { payments, selection } = chosen
  let signed: SignedTransfer
  try {
    signed = await sign(chain, payments, selection)
  } catch (error) {
    const refused = error instanceof SignerRefusal ? error.payouts : []
    const others = payments.filter(({ payout }) => !refused.includes(payout))
    if (others.length === payments.length) throw error
    chain.log.warn({ err: error, network: network.code, payouts: refused }, 'The signer refused payouts; they wait.')
    return others.length > 0 ? sendPayments(chain, fence, others) : undefined
  }
  await keepSend(chain, fence, { payments: payments.map(({ id }) => id), selection, signed })
  const { fee } = selection
  chain.log.info(
    { network: network.code, txid: signed.txid, payouts: payments.length, fee: String(fee) },
    `Sent ${rules.asset} from ${wallet.address}.`,
  )
  return signed.raw
}

/** Stores a transfer with its first attempt, before it leaves. */
async function keepSend(
  chain: Chain,
  fence: bigint,
  { payments, selection, signed }: { payments: bigint[]; selection: Selection; signed: { raw: string; txid: string } },
): Promise<void> {
  const { db, network, clock } = chain
  const { inputs, change, fee, size } = selection
  const attempt = { number: 1, ...signed, fee, size, change, at: clock.now() }
  const isKept = await db.atomic(async (block) => {
    const [locked] = await chainQueries.lockChain(block, network.code, fence)
    if (locked?.halted !== null || (await isHalted(chain, block))) return false
    await queries.insertSend(block, network.code, { payments, inputs, attempt })
    return true
  })
  if (!isKept) throw new Error(`Nothing is sent on ${network.code} now: another process follows it, or it was halted.`)
}

/** How many outputs a wallet may have before small ones are gathered, and how many one transfer gathers. */
const manyCoins = 200
const gathered = 100

/**
 * Gathers the smallest outputs in one, while nothing is due and fees are low: spending them later, in a hurry, would cost more. The
 * cost is booked, since no payout bears it.
 */
async function gatherSmall(chain: Chain, fence: bigint): Promise<void> {
  const { db, network, rules, wallet } = chain
  const coins = await queries.spendableCoins(db, network.code)
  if (coins.length <= manyCoins) return
  const rate = await currentRate(chain)
  if (rate > rules.rate.least * 2n) return
  const inputs = coins.slice(-gathered)
  const selection = complete(rules, { inputs, payments: [], rate, changeScript: wallet.script })
  if (!selection) return
  const signed = await sign(chain, [], selection)
  await keepSend(chain, fence, { payments: [], selection, signed })
  await broadcast(chain, signed.raw)
}

/**
 * As many of the payouts that wait, in their order, as the coins suffice for. The fee is within what the payouts have reserved: where
 * the inputs would cost more, the rate is lower, and where that is less than nodes relay, the payouts wait.
 */
function affordable(
  chain: Chain,
  { coins, waiting, rate }: { coins: SpendableCoin[]; waiting: queries.WaitingPayment[]; rate: bigint },
): { payments: queries.WaitingPayment[]; selection: Selection } | undefined {
  const { rules, wallet } = chain
  const total = sumOf(coins)
  let payments: queries.WaitingPayment[] = []
  let sum = 0n
  for (const one of waiting) {
    if (sum + one.amount >= total) continue
    sum += one.amount
    payments.push(one)
  }
  while (payments.length > 0) {
    const most = mostFee(chain) * BigInt(payments.length)
    const at = (used: bigint) => selectCoins(rules, { coins, payments, rate: used, changeScript: wallet.script })
    const first = at(rate)
    const selection = first && first.fee > most ? at(most / BigInt(first.size)) : first
    const isRelayed = selection && selection.fee <= most && selection.fee >= rules.rate.least * BigInt(selection.size)
    if (isRelayed) return { payments, selection }
    payments = payments.slice(0, -1)
  }
  return undefined
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
    const signed = await sign(chain, payments, found)
    const attempt = { number: send.number + 1, ...signed, fee, size, change, at: clock.now() }
    const isKept = await db.atomic(async (block) => {
      const [locked] = await chainQueries.lockChain(block, network.code, fence)
      if (!locked || (await isHalted(chain, block))) return false
      queries.dropLostInputs(block, send.id, lost)
      queries.insertInputs(block, send.id, more, attempt.number)
      queries.insertAttempt(block, send.id, attempt)
      return true
    })
    return isKept ? signed.raw : undefined
  }
  return undefined
}

const largest = (one: bigint, other: bigint): bigint => (one > other ? one : other)

async function sign(
  { signer, wallet }: Chain,
  payments: readonly queries.WaitingPayment[],
  { inputs, change }: Selection,
): Promise<{ raw: string; txid: string }> {
  if (!signer) throw new Error('There are no keys to sign with.')
  const returned =
    change > 0n ? [{ script: wallet.script, amount: change, path: { branch: 1, position: 0n } as const }] : []
  const plan: SignPlan = {
    inputs,
    outputs: [...payments.map(({ script, amount, payout }) => ({ script, amount, payout })), ...returned],
  }
  return signer.sign(plan)
}

/** Hands bytes to both nodes. A no changes nothing: the same bytes are brought again, and the chain decides. */
async function broadcast({ node, second, network, log }: Chain, raw: string): Promise<void> {
  const bring = async (to: Node, which: string): Promise<void> => {
    try {
      await to.ask('sendrawtransaction', raw)
    } catch (error) {
      if (!(error instanceof NodeError) && which === 'first') throw error
      log.warn({ err: error, network: network.code, node: which }, 'A node did not take a transfer; trying again.')
    }
  }
  await bring(node, 'first')
  if (second) await bring(second, 'second')
}

/** Ends transfers that are final, within the block that says so. */
export function endSends({ network }: Pick<Chain, 'network'>, db: Atomic, upTo: bigint): void {
  chainQueries.keepFinal(db, network.code, upTo)
  queries.endSends(db, network.code, upTo)
  queries.forgetRecipients(db, network.code, upTo - buried)
}

/** Books what transfers between our own addresses have cost. */
export const chargeCosts = ({ db, network, name, rules }: Chain, charge: Reports['charge']): Promise<void> =>
  db.atomic(async (block) => {
    const spent = await queries.takeCosts(block, network.code)
    const amount = spent.reduce((sum, { cost }) => sum + cost, 0n)
    if (amount > 0n) await charge(block, [{ place: name, asset: rules.asset, amount }])
  })
