import { nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import { type JournalTransfer, unclearTransfer, whoUsed } from '../../chain/ended.ts'
import { keepRefusals } from '../../chain/refusals.ts'
import type { Evidence } from '../../evidence.ts'
import type { PlanOutcome } from '../../rail.ts'
import { isIncluded } from '../agree.ts'
import type { Chain } from '../chain.ts'
import * as queries from './queries.ts'
import { readFollow } from '../../chain/follows.sql.ts'
import { costOf, fateOf } from '../receipts.ts'
import { rebroadcast, signRaise } from './send.ts'
import { type Plan, signedSend } from './sign.ts'
import { contractsOn, readTransfer, type Receipt } from '../tokens.ts'

/**
 * What became of a plan. `done`: one of its candidates is in a final block, and moved the money. `never`: it was not
 * submitted; or its nonce is used up by another final transfer, or by its own one that failed. Everything else
 * is pending, and brought to the chain again.
 */
export async function lookAt(chain: Chain, plan: Plan): Promise<PlanOutcome> {
  const { db, network, keys } = chain
  const send = await signedSend(chain, plan)
  // One that was signed is asked about once more: what is written down of its end alone proves nothing.
  if (!send || (send.state === 'never' && send.hashes.length === 0)) return { state: 'never' }

  const { known, receipt } = await fateOf(chain, send)
  if (receipt) return judge(chain, { plan, send, receipt })
  if (known === 'all') return { state: 'pending' }

  // A dearer candidate may be what has used the nonce: its hash is known once it is signed.
  if (!(await signRaise(chain, plan, send))) return { state: 'pending' }
  const sender = keys.hot.toLowerCase()
  const upTo = (await readFollow(db, network.code))[0]?.agreed_block ?? -1n
  const [other] = known === 'none' ? await queries.usedBy(db, network.code, { sender, nonce: send.nonce, upTo }) : []
  if (other && (await isIncluded(chain, { hash: other.hash, sender, nonce: send.nonce, upTo }))) {
    // A database that was restored does not know every candidate that was signed.
    const who = await whoUsed(keys, plan.key, { id: other.hash, places: [String(send.nonce)] })
    if (who === 'unclear') await keepRefusals(chain, [plan.key], unclearTransfer)
    else if (who !== 'other') await learnCandidate(chain, send, who)
    if (who !== 'other') return { state: 'pending' }
    await queries.endSend(db, send.id, 'never')
    return { state: 'never' }
  }
  await rebroadcast(chain, plan, send)
  return { state: 'pending' }
}

/** Stores a candidate that only the signer's journal had. */
async function learnCandidate(
  { db, clock }: Chain,
  { id, number }: queries.SendRow,
  { id: hash, raw }: JournalTransfer,
): Promise<void> {
  if (hash === null || raw === null) return
  const { parseTransaction } = await import('viem')
  const {
    gas = 0n,
    maxFeePerGas: maxFee = 0n,
    maxPriorityFeePerGas: priorityFee = 0n,
  } = parseTransaction(raw as `0x${string}`)
  await queries.learnCandidate(db, id, { number: number + 1, hash, gas, maxFee, priorityFee, at: clock.realNow() })
}

async function judge(
  chain: Chain,
  { plan, send, receipt }: { plan: Plan; send: queries.SendRow; receipt: Receipt },
): Promise<PlanOutcome> {
  // It ends once the block is read that says so, too.
  const used = { sender: chain.keys.hot.toLowerCase(), nonce: send.nonce }
  const [including] = await queries.hashUsing(chain.db, chain.network.code, used)
  if (including?.hash !== receipt.transactionHash) return { state: 'pending' }
  const paid = receipt.status === '0x1' ? paidBy(chain, plan, receipt) : undefined
  const fee = { asset: nativeAsset(chain.network).id, amount: costOf(receipt) }
  if (!paid) {
    await queries.endSend(chain.db, send.id, 'never', fee.amount)
    return { state: 'never' }
  }
  const isGas = plan.key.startsWith(queries.gasPlan)
  await queries.endSend(chain.db, send.id, 'done', isGas ? fee.amount + BigInt(plan.body.amount ?? '0') : null)
  return { state: 'done', evidence: { hash: receipt.transactionHash, fee, ...paid } }
}

/**
 * What a transfer that succeeded paid; undefined where it moved nothing. A token says so by its logs: one that keeps a part has moved the
 * money all the same.
 */
function paidBy(
  { network, keys }: Chain,
  { body }: Plan,
  { logs }: Receipt,
): Pick<Evidence, 'arrived' | 'taken'> | undefined {
  const { asset = '', recipient = '' } = body
  if (asset === nativeAsset(network).id) return {}
  const hot = keys.hot.toLowerCase()
  const moves = logs
    .flatMap((log) => readTransfer(contractsOn(network), log) ?? [])
    .filter((move) => move.asset === asset)
  if (moves.every(({ from }) => from !== hot)) return undefined
  const sum = (which: (move: (typeof moves)[number]) => boolean): bigint =>
    moves.filter(which).reduce((total, { amount }) => total + amount, 0n)
  const [arrived, amount] = [sum(({ to }) => to === recipient.toLowerCase()), BigInt(body.amount ?? '0')]
  const taken = sum(({ from }) => from === hot) - sum(({ to }) => to === hot) - amount
  return { ...(arrived === amount ? {} : { arrived }), ...(taken > 0n ? { taken } : {}) }
}
