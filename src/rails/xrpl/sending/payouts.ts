import { checkAddress } from '../../../reference/addresses/address.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import type { PayoutHalf, PlanBody, PlanOutcome } from '../../rail.ts'
import type { Chain } from '../chain.ts'
import * as queries from './queries.ts'

/**
 * XRP that goes out. A payout that is submitted is written down; the process that follows the account gives it a sequence number,
 * which all attempts at it share, so that the ledger takes one of them at most.
 */
export function payouts(chain: Chain): PayoutHalf {
  const { db, network, asset, account, everyMs, mostFee } = chain
  return {
    lookAfterMs: everyMs,
    mostFee: () => ({ asset, amount: mostFee }),
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
    submit: async ({ key, body }) =>
      void (await queries.insertPayment(db, network.code, { key, ...readBody(chain, body) })),
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
