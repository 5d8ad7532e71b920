import { nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import type { PlanOutcome } from '../../rail.ts'
import { isConfirmed, isIncluded } from '../agree.ts'
import type { Chain } from '../chain.ts'
import * as queries from './queries.ts'
import { readHashes, readHead } from '../read-blocks.ts'
import { rebroadcast } from './send.ts'
import { type Plan, signedSend } from './sign.ts'
import { contractsOn, readTransfer, type Receipt } from '../tokens.ts'

/**
 * What became of a plan. `done`: one of its candidates is in a final block, and moved the money. `never`: it was not
 * submitted; or its nonce is used up by another final transfer, or by its own one that failed. Everything else
 * is pending, and brought to the chain again.
 */
export async function lookAt(chain: Chain, plan: Plan): Promise<PlanOutcome> {
  const { db, network, node, keys, confirmations } = chain
  const send = await signedSend(chain, plan)
  if (!send || send.state === 'never') return { state: 'never' }

  const receipts = await node.askAll<Receipt | null>(
    send.hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  const receipt = receipts.find((one) => one !== null)
  const upTo = (await readHead(chain)) - BigInt(confirmations) + 1n
  if (receipt) return judge(chain, { plan, send, receipt, upTo })

  const sender = keys.hot.toLowerCase()
  const [other] = await queries.usedBy(db, network.code, { sender, nonce: send.nonce, upTo })
  if (other && (await isIncluded(chain, other.hash, upTo))) {
    await queries.endSend(db, send.id, 'never')
    return { state: 'never' }
  }
  await rebroadcast(chain, plan, send)
  return { state: 'pending' }
}

async function judge(
  chain: Chain,
  { plan, send, receipt, upTo }: { plan: Plan; send: queries.SendRow; receipt: Receipt; upTo: bigint },
): Promise<PlanOutcome> {
  const block = BigInt(receipt.blockNumber)
  const [standing] = block <= upTo ? await readHashes(chain, [block]) : []
  if (standing !== receipt.blockHash || !(await isConfirmed(chain, receipt))) return { state: 'pending' }

  const paid = receipt.status === '0x1' ? hasPaid(chain, plan, receipt) : false
  if (paid === undefined) return { state: 'pending' }
  const fee = { asset: nativeAsset(chain.network).id, amount: costOf(receipt) }
  if (!paid) {
    await queries.endSend(chain.db, send.id, 'never', fee.amount)
    return { state: 'never' }
  }
  const isGas = plan.key.startsWith(queries.gasPlan)
  await queries.endSend(chain.db, send.id, 'done', isGas ? fee.amount + BigInt(plan.body.amount ?? '0') : null)
  return { state: 'done', evidence: { hash: receipt.transactionHash, fee } }
}

/** What a transfer cost its sender, in wei: gas, and what the chain takes for being written on the one below. */
export const costOf = ({ gasUsed, effectiveGasPrice, l1Fee = '0x0' }: Receipt): bigint =>
  BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee)

/** Whether a transfer that succeeded moved the money. A token says so by its log; undefined where it moved another amount. */
function hasPaid({ network, keys }: Chain, { body }: Plan, { logs }: Receipt): boolean | undefined {
  const { asset = '', amount = '', recipient = '' } = body
  if (asset === nativeAsset(network).id) return true
  const moves = logs.flatMap((log) => readTransfer(contractsOn(network), log) ?? [])
  const out = moves.filter((move) => move.asset === asset && move.from === keys.hot.toLowerCase())
  if (out.length === 0) return false
  return out.some((move) => move.to === recipient.toLowerCase() && move.amount === BigInt(amount)) ? true : undefined
}
