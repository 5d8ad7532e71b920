import { isEnded, keepEnded, notExcluded, refuseSigned } from '../../chain/ended.ts'
import { type PayoutProgress, refusalOf } from '../../chain/refusals.ts'
import { mostWithFee } from '../../keys/signer-caps.ts'
import type { PayoutHalf } from '../../rail.ts'
import { type Chain, isHot } from '../chain.ts'
import { mostFee } from './fees.ts'
import { lookAt } from './look.ts'
import * as queries from './queries.ts'
import { submitPlan } from './send.ts'
import type { Plan } from './sign.ts'

/**
 * Coins and tokens that go out of the hot wallet of a chain. The nonce and the bytes of a plan are fixed and committed when it is
 * first submitted, under the wallet's row lock: a plan that is never submitted leaves no gap behind.
 */
export function payouts(chain: Chain): PayoutHalf {
  const { keys, settings } = chain
  return {
    lookAfterMs: settings.scanEveryMs,
    mostFee: (asset) => mostFee(chain, asset),
    most: (asset) => mostWithFee(keys.most, asset, mostFee(chain, asset)),
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
    progress: (plan) => progress(chain, plan),
    end: (plan, how) => end(chain, plan, how),
    owns: (address) => isHot(chain, address),
  }
}

async function progress({ db, network }: Chain, { key }: Plan): Promise<PayoutProgress> {
  const refusal = await refusalOf(db, network.code, key)
  const [send] = await queries.sendOf(db, network.code, key)
  if (!send) return { state: (await isEnded(db, network.code, key)) ? 'never' : 'waiting', refusal }
  return { state: send.state === 'open' ? (send.hashes.length > 0 ? 'sent' : 'signing') : send.state, refusal }
}

/** A payout with a nonce ends with it: once a final block has something else under this nonce. */
async function end(chain: Chain, plan: Plan, how: 'check' | 'end'): Promise<void> {
  const { db, network, keys } = chain
  const sender = keys.hot.toLowerCase()
  if ((await queries.sendOf(db, network.code, plan.key)).length > 0) await lookAt(chain, plan)
  const [known] = await queries.sendOf(db, network.code, plan.key)
  if (known?.state === 'never') return
  await refuseSigned(keys, plan.key)
  await db.atomic(async (block) => {
    await queries.lockWallet(block, network.code, sender)
    const [send] = await queries.sendOf(block, network.code, plan.key)
    if (send?.state === 'never') return
    if (send) throw notExcluded(`The nonce of the payout on ${network.name} was not used by anything else.`)
    if (how === 'end') keepEnded(block, network.code, plan.key)
  })
}
