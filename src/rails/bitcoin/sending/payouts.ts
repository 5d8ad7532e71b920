import { Refusal } from '../../../platform/lib/refusal.ts'
import { isEnded, keepEnded, lockPayout, notExcluded, refuseSigned, unlessEnded } from '../../chain/ended.ts'
import { type PayoutProgress, refusalOf } from '../../chain/refusals.ts'
import { stampOf } from '../../chain/stamp.ts'
import { mostWithFee } from '../../keys/signer-caps.ts'
import type { PayoutHalf, PlanOutcome } from '../../rail.ts'
import type { Chain } from '../chain.ts'
import { scriptOf } from '../../../reference/addresses/output-script.ts'
import { feeShare, mostFee } from './fees.ts'
import * as queries from './queries.ts'
import { stampedBy } from './sign-written.ts'

/**
 * Coins that go out. A payout that is submitted is written down; the process that follows the chain puts all that wait into one
 * transfer. From then on the payout belongs to that transfer, whose attempts all spend the same first inputs: it is paid once.
 */
export function payouts(chain: Chain): PayoutHalf {
  const { rules, wallet, everyMs, signer } = chain
  return {
    lookAfterMs: everyMs,
    mostFee: () => ({ asset: rules.asset, amount: mostFee(chain) }),
    most: (asset) => mostWithFee(signer?.most, asset, { asset: rules.asset, amount: mostFee(chain) }),
    prepare: (orders) =>
      Promise.resolve(
        orders.map(({ payoutId, asset, amount, destination }) => ({
          key: String(payoutId),
          payoutId,
          body: { recipient: destination.address, asset, amount: String(amount) },
        })),
      ),
    submit: (plan) => submit(chain, plan),
    look: ({ key }) => look(chain, key),
    progress: ({ key }) => progress(chain, key),
    end: ({ key }, how) => end(chain, key, how),
    owns: (address) => address === wallet.address,
  }
}

async function submit(chain: Chain, { key, body }: { key: string; body: Record<string, string> }): Promise<void> {
  const { network, rules, forms } = chain
  const { recipient = '', asset = '', amount: text = '0' } = body
  await unlessEnded(chain, key, async (block) => {
    const amount = BigInt(text)
    const script = scriptOf(recipient, forms)
    if (asset !== rules.asset || script === undefined)
      throw new Refusal('CONFLICT', `${asset} cannot be sent there on ${network.name}.`)
    if (amount < rules.dust) throw new Refusal('CONFLICT', `${network.name} does not carry so small an amount.`)
    const stamp = stampOf(chain, stampedBy({ payout: key, script, amount }))
    await queries.insertPayment(block, network.code, { key, script, amount, stamp })
  })
}

/** A payout that waits, or whose transfer is not final, is pending: only the chain ends it. */
async function look({ db, network, rules }: Chain, key: string): Promise<PlanOutcome> {
  const [payment] = await queries.paymentOf(db, network.code, key)
  if (!payment || payment.state === 'never') return { state: 'never' }
  const { state, number, count, txid, fee } = payment
  // A reorganization may have taken a final transfer out of its block: it is on its way back, and was reported before.
  if (state !== 'done' || txid === null || fee === null || number === null) return { state: 'pending' }
  return {
    state: 'done',
    evidence: { hash: txid, fee: { asset: rules.asset, amount: feeShare(fee, { count, number }) } },
  }
}

async function progress({ db, network }: Chain, key: string): Promise<PayoutProgress> {
  const refusal = await refusalOf(db, network.code, key)
  const [payment] = await queries.paymentOf(db, network.code, key)
  if (!payment) return { state: (await isEnded(db, network.code, key)) ? 'never' : 'waiting', refusal }
  const { state, is_signed: isSigned } = payment
  return { state: state === 'sending' ? (isSigned ? 'sent' : 'signing') : state, refusal }
}

/** A payout in a transfer ends with it: once a final block spends what each of its attempts spends. */
async function end({ db, network, signer }: Chain, key: string, how: 'check' | 'end'): Promise<void> {
  const [known] = await queries.paymentOf(db, network.code, key)
  if (known?.state === 'never') return
  await refuseSigned(signer, key)
  await db.atomic(async (block) => {
    lockPayout(block, network.code, key)
    const [payment] = await queries.lockPayment(block, network.code, key)
    if (payment?.state === 'never') return
    if (payment && payment.state !== 'waiting') {
      throw notExcluded(`The payout is in a transfer on ${network.name} whose inputs are unspent or spent by itself.`)
    }
    if (how === 'check') return
    keepEnded(block, network.code, key)
    if (payment) queries.endWaiting(block, network.code, key)
  })
}
