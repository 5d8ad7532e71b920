import { createHmac, randomUUID } from 'node:crypto'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { CallbackRequest } from '../../src/rails/rail.ts'

/** A payment as PaymentsResponse shows it, as far as the adapter could read it. */
export type FakePayment = {
  payment_id: string
  merchant_id: string
  profile_id: string
  status: string
  amount: number
  net_amount: number
  amount_capturable: number
  amount_received: number | null
  currency: string
  capture_method: string
  authentication_type: string
  payment_method: string
  attempt_count: number
  return_url: string
  merchant_order_reference_id: string
  allowed_payment_method_types: string[]
  payment_link: { link: string; payment_link_id: string }
  [more: string]: unknown
}

export type FakeRefund = {
  refund_id: string
  payment_id: string
  amount: number
  currency: string
  status: string
  profile_id: string
}

export type FakeDispute = {
  dispute_id: string
  payment_id: string
  attempt_id: string
  /** A text of minor units, unlike everywhere else. */
  amount: string
  currency: string
  dispute_stage: string
  dispute_status: string
  connector: string
  connector_status: string
  connector_dispute_id: string
  challenge_required_by: string
  created_at: string
}

export type FakePayout = {
  payout_id: string
  amount: number
  currency: string
  status: string
  profile_id: string
  payout_method_data: unknown
}

/** What Hyperswitch knows in a test, and the webhooks that it owes. */
export type HyperswitchWorld = {
  payments: Map<string, FakePayment>
  refunds: Map<string, FakeRefund>
  disputes: Map<string, FakeDispute>
  payouts: Map<string, FakePayout>
  owed: CallbackRequest[]
}

/** What happens at Hyperswitch on a test's command. Each change owes a webhook. CONFLICT for what cannot happen. */
export type HyperswitchControls = {
  /** The latest payment of an order. */
  paymentOf(reference: string): FakePayment
  change(id: string, change: Partial<FakePayment>, event?: string): void
  /** The customer pays: captured, or authorized only where the capture is manual. */
  pay(id: string, change?: Partial<FakePayment>): void
  /** Every refund and payout that is pending succeeds, except payouts of more than anybody has. */
  settle(): void
  changeRefund(id: string, status: string): void
  changePayout(id: string, status: string): void
  dispute(payment: string, change?: Partial<FakeDispute>): FakeDispute
  changeDispute(id: string, change: Partial<FakeDispute>): void
  /** The webhooks that are owed, and forgets them. */
  take(): CallbackRequest[]
  /** Owes a webhook once more. */
  owe(call: CallbackRequest): void
  sign(body: string): CallbackRequest
  /** Posts webhooks to the exchange; gives the statuses of its answers. */
  deliver(url: string, calls?: CallbackRequest[]): Promise<number[]>
}

const moreThanAnybodyHas = 1_000_000_000

export const refuseChange = (): never => {
  throw new Refusal('CONFLICT', 'That cannot happen now.')
}

/** Opens the controls of a world; `key` signs its webhooks. */
export function controlsOf(world: HyperswitchWorld, key: string): HyperswitchControls {
  const { payments, refunds, payouts, disputes } = world
  const sign = (body: string): CallbackRequest => ({
    body,
    headers: { 'x-webhook-signature-512': createHmac('sha512', key).update(body).digest('hex') },
  })
  const owe = (event: string, type: string, object: object): void => {
    const timestamp = new Date().toISOString()
    const webhook = { merchant_id: 'merchant_of_a_test', event_id: `evt_${randomUUID()}`, event_type: event, timestamp }
    world.owed.push(sign(JSON.stringify({ ...webhook, content: { type, object } })))
  }
  const change: HyperswitchControls['change'] = (id, more, event = `payment_${more.status ?? 'processing'}`) => {
    const payment = Object.assign(payments.get(id) ?? refuseChange(), more, { updated: new Date().toISOString() })
    owe(event, 'payment_details', { ...payment })
  }
  const changeRefund = (id: string, status: string): void => {
    const refund = Object.assign(refunds.get(id) ?? refuseChange(), { status })
    owe(`refund_${status}`, 'refund_details', { ...refund })
  }
  const changePayout = (id: string, status: string): void => {
    const payout = Object.assign(payouts.get(id) ?? refuseChange(), { status })
    owe(`payout_${status}`, 'payout_details', { ...payout })
  }
  const take = (): CallbackRequest[] => world.owed.splice(0)
  return {
    paymentOf: (reference) =>
      [...payments.values()].findLast((one) => one.merchant_order_reference_id === reference) ?? refuseChange(),
    change,
    pay: (id, more = {}) => {
      const payment = payments.get(id) ?? refuseChange()
      if (!payment.status.startsWith('requires_') || payment.status === 'requires_capture') return
      const isManual = payment.capture_method === 'manual'
      const paid = isManual
        ? { status: 'requires_capture', amount_capturable: payment.amount }
        : { status: 'succeeded', amount_capturable: 0, amount_received: payment.amount }
      change(id, { ...paid, ...more }, isManual ? 'payment_authorized' : 'payment_succeeded')
    },
    settle: () => {
      for (const { refund_id: id, status } of refunds.values()) if (status === 'pending') changeRefund(id, 'succeeded')
      for (const { payout_id: id, status, amount } of payouts.values()) {
        if (status === 'pending') changePayout(id, amount > moreThanAnybodyHas ? 'failed' : 'success')
      }
    },
    changeRefund,
    changePayout,
    dispute: (id, more = {}) => {
      const payment = payments.get(id)
      if (payment?.status !== 'succeeded') return refuseChange()
      const dispute = { ...disputeOf(payment), ...more }
      disputes.set(dispute.dispute_id, dispute)
      owe('dispute_opened', 'dispute_details', { ...dispute })
      return dispute
    },
    changeDispute: (id, more) => {
      const dispute = disputes.get(id) ?? refuseChange()
      if (!mayFollow(dispute, { ...dispute, ...more })) return refuseChange()
      Object.assign(dispute, more)
      owe(dispute.dispute_status, 'dispute_details', { ...dispute })
    },
    take,
    owe: (call) => void world.owed.push(call),
    sign,
    deliver: (url, calls = take()) => deliver(url, calls),
  }
}

type DisputeStep = Pick<FakeDispute, 'dispute_stage' | 'dispute_status'>

/** The stages and the statuses of disputes at Hyperswitch. */
export const disputeStages = ['pre_dispute', 'dispute', 'pre_arbitration', 'arbitration', 'dispute_reversal']
export const disputeStatuses = ['opened', 'challenged', 'won', 'lost', 'accepted', 'cancelled', 'expired'].map(
  (status) => `dispute_${status}`,
)

/**
 * What Hyperswitch lets follow a step of a dispute (`validate_dispute_stage_and_dispute_status` of its router): stages go on and never
 * back, and within one stage what has ended stays so.
 */
export function mayFollow(before: DisputeStep, next: DisputeStep): boolean {
  const [from, to] = [disputeStages.indexOf(before.dispute_stage), disputeStages.indexOf(next.dispute_stage)]
  if (to < from) return false
  if (to > from || before.dispute_status === 'dispute_opened') return true
  const ends = disputeStatuses.filter((status) => status !== 'dispute_opened')
  return before.dispute_status === 'dispute_challenged'
    ? ends.includes(next.dispute_status)
    : before.dispute_status === next.dispute_status
}

async function deliver(url: string, calls: CallbackRequest[]): Promise<number[]> {
  const statuses: number[] = []
  for (const { body, headers } of calls) {
    const given = { 'content-type': 'application/json', ...(headers as Record<string, string>) }
    statuses.push((await fetch(url, { method: 'POST', body, headers: given })).status)
  }
  return statuses
}

const disputeOf = ({ payment_id: id, amount, currency }: FakePayment): FakeDispute => ({
  dispute_id: `dp_${randomUUID()}`,
  payment_id: id,
  attempt_id: `${id}_1`,
  amount: String(amount),
  currency,
  dispute_stage: 'dispute',
  dispute_status: 'dispute_opened',
  connector: 'stripe',
  connector_status: 'needs_response',
  connector_dispute_id: `du_${randomUUID()}`,
  challenge_required_by: new Date(Date.now() + 7 * 86_400_000).toISOString(),
  created_at: new Date().toISOString(),
})

/** The key with which the world of a test signs. */
export const testWebhookKey = 'response-hash-key-of-a-test'
