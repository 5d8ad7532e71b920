import { findSigned } from '../../chain/ended.ts'
import type { Chain } from '../chain.ts'
import { readTransfer } from '../wire.ts'
import * as queries from './queries.ts'

/**
 * Stores attempts that only the signer's journal has, before what they spend is final up to a block: a database that was restored would
 * take them for somebody else's.
 */
export async function learnAttempts({ db, network, signer, wallet, clock }: Chain, upTo: bigint): Promise<void> {
  if (!signer?.signedFor) return
  for (const { send_id: sendId, plan_key: key, txid, block } of await queries.unknownAttempts(db, network.code, upTo)) {
    const raw = (await findSigned(signer, key, txid))?.raw
    if (raw === undefined || raw === null) continue
    const { inputs, outputs } = readTransfer(raw)
    const spent = await queries.amountsOf(db, network.code, inputs)
    if (spent.length < inputs.length) throw new Error(`The transfer ${txid} spends coins that are not known.`)
    const fee = sumOf(spent) - sumOf(outputs)
    const change = sumOf(outputs.filter(({ script }) => script === wallet.script))
    await queries.learnAttempt(db, sendId, { txid, raw, fee, change, block, at: clock.realNow() })
  }
}

const sumOf = (parts: readonly { amount: bigint }[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)
