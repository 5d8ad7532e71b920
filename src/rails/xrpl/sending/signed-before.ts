import { unclearTransfer } from '../../chain/ended.ts'
import { forgetRefusals, keepRefusals } from '../../chain/refusals.ts'
import { isNodeFault } from '../../two-nodes.ts'
import { saidByAll } from '../agree.ts'
import type { Chain } from '../chain.ts'
import type { Signer } from '../keys.ts'
import { type OwnPayment, readOwn } from '../ledger.ts'
import { inFence, type Look } from './fence.ts'
import * as queries from './queries.ts'

/**
 * What becomes of a payout that our tables call unsigned, and the signer does not, as after a restore: it ends where every node has what was
 * signed for it. A transfer of another amount or to somebody else, one that is in no ledger, and one whose number is another payout's leave it
 * waiting for a person. True where the signer has signed something, so that nothing new is signed for it now.
 */
export async function endSignedBefore(
  chain: Chain,
  signer: Signer,
  look: Look,
  payment: queries.Payment,
): Promise<boolean> {
  const { network } = chain
  const { id, plan_key: key } = payment
  const signed = (await signer.signedFor?.(key)) ?? []
  if (signed.length === 0) return false
  const found = await transferOf(chain, look, signed)
  const isEnded =
    found !== undefined &&
    (await inFence(chain, look, async (block) => {
      const { own, raw } = found
      if (own.isPaid && !isSame(payment, own)) return false
      if ((await queries.paymentNumbered(block, network.code, own.sequence)).length > 0) return false
      if ((await queries.numberPayment(block, id, own.sequence)).length === 0) return false
      await queries.learnAttempt(block, id, { ...own, raw })
      await forgetRefusals(block, network.code, [key])
      const [ended] = await queries.endPayments(block, network.code, { sent: [own], unclear: [] })
      if (ended && ended.cost > 0n) await look.charge(block, ended.cost)
      return true
    }))
  // A person has to look, and others go before it until then.
  if (!isEnded) await keepRefusals(chain, [key], unclearTransfer)
  return true
}

/** The transfer of a payout that every node has, where it excludes all others that were signed for it; else nothing is certain. */
async function transferOf(
  chain: Chain,
  { agreed }: Look,
  signed: readonly { id: string | null; raw: string | null; exclusive: readonly string[] }[],
): Promise<{ own: OwnPayment; raw: string | null } | undefined> {
  for (const { id, raw } of signed) {
    if (id === null) return undefined
    try {
      const own = await saidByAll(chain, (node) => readOwn(node, chain.account, id))
      if (!own || own.ledger > agreed) continue
      const place = ` ${own.sequence}`
      const excludesAll = signed.every((one) => one.id !== null && one.exclusive.some((each) => each.endsWith(place)))
      return excludesAll ? { own, raw } : undefined
    } catch (error) {
      if (!isNodeFault(error)) throw error
      return undefined
    }
  }
  return undefined
}

const isSame = ({ recipient, tag, amount }: queries.Payment, own: OwnPayment): boolean =>
  own.recipient === recipient && own.tag === tag && own.delivered === amount
