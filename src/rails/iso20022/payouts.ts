import { gather } from '../../platform/lib/gather.ts'
import type { PayoutHalf, PlanOutcome } from '../rail.ts'
import type { Bank } from './bank.ts'
import { isPaymentKey, prepareOrder, sealOrder } from './paying/order.ts'
import * as queries from './paying/queries.ts'

/** How often a payment is looked at, at the most often and at the least, in real milliseconds. */
const looks = { soonest: 1_000, latest: 30_000 }

/**
 * Transfers from our accounts. A submitted payment waits for the next payment file; the bank's status report or the account's
 * statement says what became of it. What the bank charges is booked from its statements, so a payout has no fee.
 */
export function payouts(bank: Bank): PayoutHalf {
  const { db, name } = bank
  const find = gather(async (keys: string[]) => {
    const found = new Map((await queries.paymentsByKey(db, name, keys)).map((row) => [row.key, row]))
    return keys.map((key) => found.get(key))
  })
  return {
    isKey: isPaymentKey,
    lookAfterMs: Math.min(Math.max(bank.everyMs, looks.soonest), looks.latest),
    mostFee: () => undefined,
    prepare: (orders) => Promise.resolve(orders.map((order) => prepareOrder(bank, order))),
    submit: async ({ key, body }) => {
      const { asset = '', amount = '0' } = body
      const row = {
        rail: name,
        key,
        asset,
        amount: BigInt(amount),
        body: sealOrder(bank, key, body),
        at: bank.clock.realNow(),
      }
      await queries.queuePayment(db, row)
    },
    look: async ({ key }) => outcomeOf(await find(key)),
    owns: (account) =>
      bank.accounts.some(({ iban }) => iban === account || (iban.startsWith('GB') && iban.slice(8) === account)),
  }
}

/** What is not even queued was never submitted; what was rejected never will be carried out. The proof is the end-to-end id. */
function outcomeOf(payment: queries.PaymentRow | undefined): PlanOutcome {
  if (!payment || payment.state === 'rejected') return { state: 'never' }
  return payment.state === 'done'
    ? { state: 'done', evidence: { hash: payment.key, fee: undefined } }
    : { state: 'pending' }
}
