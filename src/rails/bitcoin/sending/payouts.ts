import { Refusal } from '../../../platform/lib/refusal.ts'
import type { PayoutHalf, PlanOutcome } from '../../rail.ts'
import type { Chain } from '../chain.ts'
import { scriptOf } from '../../../reference/addresses/output-script.ts'
import { feeShare, mostFee } from './fees.ts'
import * as queries from './queries.ts'

/**
 * Coins that go out. A payout that is submitted is written down; the process that follows the chain puts all that wait into one
 * transfer. From then on the payout belongs to that transfer, whose attempts all spend the same first inputs: it is paid once.
 */
export function payouts(chain: Chain): PayoutHalf {
  const { rules, wallet, everyMs } = chain
  return {
    lookAfterMs: everyMs,
    mostFee: () => ({ asset: rules.asset, amount: mostFee(chain) }),
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
    owns: (address) => address === wallet.address,
  }
}

async function submit(
  { db, network, rules, forms }: Chain,
  { key, body }: { key: string; body: Record<string, string> },
): Promise<void> {
  const { recipient = '', asset = '', amount: text = '0' } = body
  const amount = BigInt(text)
  const script = scriptOf(recipient, forms)
  if (asset !== rules.asset || script === undefined)
    throw new Refusal('CONFLICT', `${asset} cannot be sent there on ${network.name}.`)
  if (amount < rules.dust) throw new Refusal('CONFLICT', `${network.name} does not carry so small an amount.`)
  await queries.insertPayment(db, network.code, { key, script, amount })
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
