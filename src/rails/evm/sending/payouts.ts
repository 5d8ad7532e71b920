import type { PayoutHalf } from '../../rail.ts'
import { type Chain, isHot } from '../chain.ts'
import { mostFee } from './fees.ts'
import { lookAt } from './look.ts'
import { submitPlan } from './send.ts'

/**
 * Coins and tokens that go out of the hot wallet of a chain. The nonce and the bytes of a plan are fixed and committed when it is
 * first submitted, under the wallet's row lock: a plan that is never submitted leaves no gap behind.
 */
export function payouts(chain: Chain): PayoutHalf {
  const { keys, settings } = chain
  return {
    lookAfterMs: settings.scanEveryMs,
    mostFee: (asset) => mostFee(chain, asset),
    prepare: (orders) =>
      Promise.resolve(
        orders.map(({ payoutId, asset, amount, destination }) => ({
          key: String(payoutId),
          payoutId,
          body: { sender: keys.hot, recipient: destination.address, asset, amount: String(amount) },
        })),
      ),
    submit: (plan) => submitPlan(chain, plan),
    look: (plan) => lookAt(chain, plan),
    owns: (address) => isHot(chain, address),
  }
}
