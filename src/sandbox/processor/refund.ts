import type { Database } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Destination, PayoutHalf, PayoutOrder, PlanBody, PlanDraft, PlanOutcome } from '../../rails/rail.ts'
import { moveAtBank } from '../bank/bank.ts'
import { queueCallbacks } from '../callback.ts'
import { takeSilence, takeUnknownStatus } from '../fault.ts'
import { covered } from '../overdraft.ts'
import type { World } from '../world.ts'
import * as queries from './queries.ts'
import { openBankingName, publicPaymentId, publicRefundId, readPaymentId, returnMessage } from './messages.ts'

/** How long a refund takes, in real milliseconds: usually, and while its status is unknown. */
const usualMs = 1_000
const unknownStatusMs = 5_000

/**
 * Refunds of payments at a page, in parts or whole, to the payment itself. A prepared refund is carried out once; all of them
 * together refund no more than was captured. Once the payment is refunded or charged back, further refunds are refused.
 */
export const refunds = (world: World, rail: string): PayoutHalf => ({
  lookAfterMs: usualMs,
  mostFee: () => undefined,
  prepare: async (orders) => orders.map(planOf),
  submit: ({ key, body }) => submit(world, rail, key, body),
  look: ({ key }) => look(world, rail, key),
  owns: () => false,
})

/** The payment itself, where this owner has taken it. */
export async function refundOrigin(db: Database, rail: string, payment: string): Promise<Destination | 'unknown'> {
  const id = readPaymentId(payment)
  const [taken] = id === undefined ? [] : await queries.paymentById(db, rail, id)
  return taken ? { address: publicPaymentId(taken.id), extraId: '', holder: '' } : 'unknown'
}

const planOf = ({ payoutId, asset, amount, destination }: PayoutOrder): PlanDraft => ({
  key: String(payoutId),
  payoutId,
  body: { payment: destination.address, asset, amount: String(amount), refund: String(payoutId) },
})

async function submit(
  world: World,
  rail: string,
  planKey: string,
  { payment = '', asset = '', amount: text = '0' }: PlanBody,
): Promise<void> {
  const id = readPaymentId(payment)
  if (id === undefined) throw new Refusal('BAD_REQUEST', 'This is not one of our payments.')
  const isStrange = await takeUnknownStatus(world, payment)
  const amount = BigInt(text)
  const row = {
    rail,
    planKey,
    paymentId: id,
    asset,
    amount,
    interim: isStrange ? 'FROBNICATED' : 'PROCESSING',
    settlesAt: after(world.clock.realNow(), isStrange ? unknownStatusMs : usualMs),
  }
  await covered(
    world.db.atomic(async (db) => {
      const isNew = (await queries.insertRefund(db, row)).length > 0
      if (!isNew) return
      const isTaken = (await queries.giveBack(db, row)).length > 0
      if (!isTaken) return queries.refuseRefund(db, planKey)
      if (rail === openBankingName) await moveAtBank(db, [{ asset, amount: -amount }])
    }),
  )
  const [isSilent] = await takeSilence(world, [payment])
  if (isSilent) throw new Error('The processor did not answer in time.')
}

async function look({ db, clock }: World, rail: string, planKey: string): Promise<PlanOutcome> {
  const [refund] = await queries.refund(db, rail, planKey)
  if (!refund) return { state: 'never' }
  const waitMs = refund.settles_at.getTime() - clock.realNow().getTime()
  const status = waitMs > 0 ? refund.interim : refund.state === 'refused' ? 'REFUSED' : 'REFUNDED'
  switch (status) {
    case 'REFUNDED':
      return { state: 'done', evidence: { hash: publicRefundId(refund.id), fee: undefined } }
    case 'REFUSED':
      return { state: 'never' }
    default:
      return { state: 'pending', lookAgainInMs: waitMs }
  }
}

/** A refund comes back (a closed card or account), once. CONFLICT if it has not been carried out. */
export async function returnRefund(world: World, rail: string, planKey: string): Promise<void> {
  await world.db.atomic(async (db) => {
    const at = world.clock.realNow()
    const [refund] = await queries.returnRefund(db, { rail, planKey, at })
    if (!refund) throw new Refusal('CONFLICT', 'No refund was carried out that could come back.')
    const { asset, amount } = refund
    if (rail === openBankingName) await moveAtBank(db, [{ asset, amount }])
    await queueCallbacks(world, db, [{ rail, message: returnMessage(refund), dueAt: at }])
  })
}
