import { type JournalTransfer, unclearTransfer, whoUsed } from '../../chain/ended.ts'
import { keepRefusals } from '../../chain/refusals.ts'
import type { Chain } from '../chain.ts'
import { readTransfer } from '../wire.ts'
import * as queries from './queries.ts'

/**
 * Stores attempts that only the signer's journal has, before what they spend is final up to a block: a database that was restored would
 * take them for somebody else's. Gives the transfers that do not end although others have spent their coins: the signer has signed something
 * else for one of their payouts, or pays only some of them by it, or does not answer.
 */
export async function learnAttempts(chain: Chain, upTo: bigint): Promise<bigint[]> {
  const { db, network, signer } = chain
  const unclear: bigint[] = []
  if (!signer?.signedFor) return unclear
  for (const spent of await queries.unknownAttempts(db, network.code, upTo)) {
    const { send_id: sendId, keys, txid: id, places } = spent
    const users = await Promise.all(
      keys.map((key) => whoUsed(signer, key, { id, places }).catch((): 'unclear' => 'unclear')),
    )
    const [first] = users
    if (first === undefined || users.every((one) => one === 'other')) continue
    if (typeof first === 'object' && users.every((one) => typeof one === 'object')) await learn(chain, spent, first)
    else {
      unclear.push(sendId)
      await keepRefusals(chain, keys, unclearTransfer)
    }
  }
  return unclear
}

async function learn(
  { db, network, wallet, clock, log }: Chain,
  { send_id: sendId, txid, block }: queries.UnknownAttempt,
  { raw }: JournalTransfer,
): Promise<void> {
  if (raw === null) return
  const { inputs, outputs } = readTransfer(raw)
  const spent = await queries.amountsOf(db, network.code, inputs)
  const isWhole = spent.length === inputs.length
  if (!isWhole)
    log.warn({ network: network.code, txid }, 'A transfer spends coins that are not known: its fee is not known.')
  const change = sumOf(outputs.filter(({ script }) => script === wallet.script))
  const fee = isWhole ? sumOf(spent) - sumOf(outputs) : null
  await queries.learnAttempt(db, sendId, { txid, raw, fee, change, block, at: clock.realNow() })
}

const sumOf = (parts: readonly { amount: bigint }[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)
