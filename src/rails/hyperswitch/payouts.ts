import { createHash } from 'node:crypto'

import { after } from '../../platform/lib/clock.ts'
import { toMinor } from '../processor/minor-units.ts'
import { findItem, type ItemKind, rememberItem } from '../processor/store.ts'
import type { PayoutHalf, PayoutOrder, PlanBody, PlanDraft, PlanOutcome } from '../rail.ts'
import type { Desk } from './desk.ts'
import { decimalsOf } from './translation.ts'

/** What is noted of a request that Hyperswitch took, or plainly refused, until it names a status. */
const [accepted, refused] = ['accepted', 'refused']

/** Refunds of payments, and payouts to accounts where the operator allows them. Their ids are ours, so that each is made once. */
export const payoutsOf = (desk: Desk): PayoutHalf => ({
  lookAfterMs: desk.settings.lookEveryMs,
  mostFee: () => undefined,
  prepare: async (orders) => orders.map((order) => planOf(desk, order)),
  submit: ({ key, body }) => submit(desk, key, body),
  look: ({ key, body }) => look(desk, key, kindOf(body)),
  owns: () => false,
})

/** A payment of ours, as an origin names it: everything else is an account. */
const isPayment = (address: string): boolean => /^pay_[\w-]{24}\d\d$/.test(address)

const kindOf = ({ kind }: PlanBody): ItemKind & ('refund' | 'payout') => (kind === 'payout' ? 'payout' : 'refund')

function planOf({ settings }: Desk, { payoutId, asset, amount, destination }: PayoutOrder): PlanDraft {
  const { address, extraId, holder } = destination
  const isRefund = isPayment(address)
  if (!isRefund && !settings.payouts) throw new Error(`The rail ${settings.name} makes no payouts, only refunds.`)
  const money = toMinor(decimalsOf, asset, amount)
  const amounts = { amount: String(money.amount), currency: money.currency }
  // Also of the destination: another exchange with the same account, such as one restored from a copy, counts payouts alike.
  const id = createHash('sha256').update(`${settings.name}\n${payoutId}\n${address}`).digest('hex').slice(0, 26)
  return isRefund
    ? { key: `ref_${id}`, payoutId, body: { kind: 'refund', payment: address, ...amounts } }
    : { key: `out_${id}`, payoutId, body: { kind: 'payout', iban: address, bic: extraId, holder, ...amounts } }
}

async function submit(desk: Desk, key: string, body: PlanBody): Promise<void> {
  const { settings, db, client, processor } = desk
  const kind = kindOf(body)
  const item = { rail: settings.name, kind, id: key, reference: key }
  const at = processor.clock.realNow()
  await rememberItem(db, item, { at, lookAt: after(at, processor.everyMs) })
  const { status } =
    kind === 'refund'
      ? await client.post('/refunds', refundOf(key, body))
      : await client.post('/payouts/create', payoutOf(desk, key, body))
  // A refusal of an id that is taken is our own earlier request.
  const isTaken = status < 300 || (await client[kind](key)) !== undefined
  await db.sql`
    update processor_items set status = ${isTaken ? accepted : refused}
    where rail = ${item.rail} and kind = ${kind} and id = ${key} and status in ('', ${accepted}, ${refused})`
}

const wholeNumber = (text: string | undefined): number => Number.parseInt(text ?? '', 10)

const refundOf = (key: string, { payment = '', amount }: PlanBody) => ({
  refund_id: key,
  payment_id: payment,
  amount: wholeNumber(amount),
  refund_type: 'instant',
  metadata: { reference: key },
})

const payoutOf = (
  { settings }: Desk,
  key: string,
  { iban = '', bic = '', holder = '', amount, currency }: PlanBody,
) => ({
  payout_id: key,
  profile_id: settings.profileId,
  amount: wholeNumber(amount),
  currency,
  confirm: true,
  auto_fulfill: true,
  payout_type: 'bank',
  entity_type: 'NaturalPerson',
  payout_method_data: { bank: { iban, ...(bic === '' ? {} : { bic }), bank_country_code: iban.slice(0, 2) } },
  customer: { id: key, name: holder },
  merchant_order_reference_id: key,
})

/**
 * What became of a refund or payout. One that was seen to succeed stays done: should it fail later, an event reports that its money
 * came back. It is never made only where Hyperswitch says that it failed, or that it does not know it and never took it.
 */
async function look(desk: Desk, key: string, kind: 'refund' | 'payout'): Promise<PlanOutcome> {
  const item = await findItem(desk.db, { rail: desk.settings.name, kind, id: key })
  if (!item) return { state: 'never' }
  const done: PlanOutcome = { state: 'done', evidence: { hash: key, fee: undefined } }
  if (item.settled) return done
  const found = await desk.ask(item)
  if (!found) return item.status === accepted ? { state: 'pending' } : { state: 'never' }
  if (found.settled) return done
  return found.again === 'never' ? { state: 'never' } : { state: 'pending' }
}
