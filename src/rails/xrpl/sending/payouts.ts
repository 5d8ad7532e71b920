import { checkAddress } from '../../../reference/addresses/address.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { isEnded, keepEnded, lockPayout, notExcluded, refuseSigned, unlessEnded } from '../../chain/ended.ts'
import { type PayoutProgress, refusalOf } from '../../chain/refusals.ts'
import { stampOf } from '../../chain/stamp.ts'
import { mostWithFee } from '../../keys/signer-caps.ts'
import type { PayoutHalf, PlanBody, PlanOutcome } from '../../rail.ts'
import type { Chain } from '../chain.ts'
import * as queries from './queries.ts'
import { stampedBy } from './send.ts'

/**
 * XRP that goes out. A payout that is submitted is written down; the process that follows the account gives it a sequence number,
 * which all attempts at it share, so that the ledger takes one of them at most.
 */
export function payouts(chain: Chain): PayoutHalf {
  const { db, network, asset, account, everyMs, mostFee, signer } = chain
  return {
    lookAfterMs: everyMs,
    mostFee: () => ({ asset, amount: mostFee }),
    most: (of) => mostWithFee(signer?.most, of, { asset, amount: mostFee }),
    prepare: (orders) =>
      Promise.resolve(
        orders.map((order) => ({
          key: String(order.payoutId),
          payoutId: order.payoutId,
          body: {
            recipient: order.destination.address,
            tag: order.destination.extraId,
            asset: order.asset,
            amount: String(order.amount),
          },
        })),
      ),
    submit: ({ key, body }) =>
      unlessEnded(chain, key, (block) => {
        const payment = readBody(chain, body)
        const stamp = stampOf(chain, stampedBy({ plan_key: key, ...payment }))
        return queries.insertPayment(block, network.code, { key, ...payment, stamp })
      }),
    progress: ({ key }) => progress(chain, key),
    end: ({ key }, how) => end(chain, key, how),
    look: async ({ key }): Promise<PlanOutcome> => {
      const [payment] = await queries.paymentOf(db, network.code, key)
      if (!payment || payment.state === 'never') return { state: 'never' }
      const { state, hash, fee } = payment
      if (state !== 'done' || hash === null || fee === null) return { state: 'pending' }
      return { state: 'done', evidence: { hash, fee: { asset, amount: fee } } }
    },
    owns: (address) => address === account,
  }
}

function readBody({ asset: own, network, account }: Chain, body: PlanBody) {
  const { recipient = '', tag = '', asset = '', amount: text = '' } = body
  const isAddress = recipient.startsWith('r') && checkAddress('xrp', recipient).ok && recipient !== account
  const isTag = /^\d{0,10}$/.test(tag) && BigInt(tag) < 2n ** 32n
  if (asset !== own || !isAddress || !isTag || !/^[1-9]\d{0,16}$/.test(text)) {
    throw new Refusal('CONFLICT', `${asset} cannot be sent there on ${network.name}.`)
  }
  return { recipient, tag: tag === '' ? null : BigInt(tag), amount: BigInt(text) }
}

async function progress({ db, network }: Chain, key: string): Promise<PayoutProgress> {
  const refusal = await refusalOf(db, network.code, key)
  const [payment] = await queries.paymentOf(db, network.code, key)
  if (!payment) return { state: (await isEnded(db, network.code, key)) ? 'never' : 'waiting', refusal }
  const { state, is_signed: isSigned } = payment
  return { state: state === 'sent' && !isSigned ? 'signing' : state, refusal }
}

/** A payout with a number ends with it: once a validated ledger has something else under this number. */
async function end({ db, network, signer }: Chain, key: string, how: 'check' | 'end'): Promise<void> {
  const [known] = await queries.paymentOf(db, network.code, key)
  if (known?.state === 'never') return
  await refuseSigned(signer, key)
  await db.atomic(async (block) => {
    lockPayout(block, network.code, key)
    const [payment] = await queries.lockPayment(block, network.code, key)
    if (payment?.state === 'never') return
    if (payment && payment.state !== 'waiting') {
      throw notExcluded(`The number of the payout on ${network.name} was not used by anything else.`)
    }
    if (how === 'check') return
    keepEnded(block, network.code, key)
    if (payment) queries.giveUp(block, payment.id)
  })
}
