import { unclearTransfer } from '../../chain/ended.ts'
import { forgetRefusals, keepRefusals } from '../../chain/refusals.ts'
import { NoAnswer } from '../../json-rpc.ts'
import { saidByAll } from '../agree.ts'
import type { Chain } from '../chain.ts'
import type { Signer } from '../keys.ts'
import { readOwn } from '../ledger.ts'
import { inFence, type Look } from './fence.ts'
import * as queries from './queries.ts'

/**
 * What becomes of a payout that our tables call unsigned, and the signer does not, as after a restore. What every node has of it ends it.
 * Else it gets the number that it was signed for, if that is still free: a ledger takes one transfer with it. Gives that number, null
 * where the signer has signed nothing after all, and undefined where the payout has ended, or waits for a person.
 */
export async function numberSignedBefore(
  chain: Chain,
  signer: Signer,
  look: Look,
  { payment: { id, plan_key: key }, next }: { payment: queries.Payment; next: bigint },
): Promise<bigint | null | undefined> {
  const { db, network, account } = chain
  const signed = (await signer.signedFor?.(key)) ?? []
  if (signed.length === 0) return null
  for (const { id: hash, raw } of signed) {
    if (hash === null) continue
    const found = await saidByAll(chain, (node) => readOwn(node, account, hash)).catch((error: unknown) => {
      // Others go before it until the nodes say the same of it.
      if (error instanceof NoAnswer) return 'unclear' as const
      throw error
    })
    if (found === 'unclear') {
      await keepRefusals(chain, [key], unclearTransfer)
      return undefined
    }
    if (!found || found.ledger > look.agreed) continue
    await inFence(chain, look, async (block) => {
      if ((await queries.numberPayment(block, id, found.sequence)).length === 0) return
      await queries.learnAttempt(block, id, { ...found, raw })
      await forgetRefusals(block, network.code, [key])
      const [ended] = await queries.endPayments(block, network.code, { sent: [found], unclear: [] })
      if (ended && ended.cost > 0n) await look.charge(block, ended.cost)
    })
    return undefined
  }
  const numbers = new Set(signed.flatMap(({ exclusive }) => exclusive.map(numberIn)))
  const [number] = numbers
  const isFree = number !== undefined && numbers.size === 1 && number >= next
  if (isFree && (await queries.paymentNumbered(db, network.code, number)).length === 0) return number
  await keepRefusals(chain, [key], unclearTransfer)
  return undefined
}

/** The number in a place that a transfer takes: what follows its account. */
const numberIn = (place: string): bigint => BigInt(place.slice(place.lastIndexOf(' ') + 1))
