import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import type { Database } from '../../platform/db/sql.ts'
import { after, type Clock } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { parseJson } from '../../platform/lib/json.ts'
import type { Log } from '../../platform/lib/log.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Answer, type Caller, fieldsOf, listOf, openCaller, textOf } from '../processor/call.ts'
import { askAbout, type Findings, type Processor } from '../processor/follow.ts'
import { toMinor } from '../processor/minor-units.ts'
import {
  balanceOf,
  findItem,
  type Item,
  itemsOf,
  nameLess,
  recordMovements,
  recordChange,
  recordWithheld,
  rememberItem,
  statementOf,
} from '../processor/store.ts'
import type { CallbackRequest, DepositHalf, DepositOrder, PayoutHalf, PlanOutcome, Rail, RailEvent } from '../rail.ts'
import { type CheckoutComSettings, type Desk, get } from './desk.ts'
import { disputeAt, disputeEvents, listDisputes } from './disputes.ts'
import { decimalsOf, readPayment, readPayments, readRefund, readRefundState } from './translation.ts'

export type CheckoutComTools = { db: Database; clock: Clock; log: Log; timeoutMs: number }

/** For how long the address of a page is given again: it expires after half an hour. */
const pageMs = 25 * 60_000

/**
 * Opens the rail; `begin` begins to ask for the list of disputes. Source: https://api-reference.checkout.com, read 2026-11-23. An order's page may be paid in several attempts, each
 * a separate payment under our reference. There is no balance per payment method: it is the sum of what was reported.
 */
export function openCheckoutComRail(
  settings: CheckoutComSettings,
  { db, clock, log, timeoutMs }: CheckoutComTools,
): { rail: Rail; processor: Processor; begin(): Promise<void> } {
  const { name, baseUrl, secretKey } = settings
  const call = openCaller({ baseUrl, headers: { authorization: `Bearer ${secretKey}` }, timeoutMs })
  const processor: Processor = {
    rail: name,
    db,
    clock,
    log,
    everyMs: settings.lookEveryMs,
    look: async (item) => {
      const { kind, reference } = item
      if (kind === 'refund') return refundAt(call, item)
      if (kind === 'disputes') return listDisputes(desk)
      if (kind === 'dispute') return disputeAt(desk, item)
      const found = readPayments(await paymentsOf(call, reference))
      return { ...found, events: await nameLess(db, name, found.events) }
    },
  }
  const desk: Desk = { settings, db, call, processor }
  const rail: Rail = {
    name,
    custodyAccount: name,
    serves: [{ directions: ['deposit'], categories: settings.serves, networks: 'any' }],
    deposit: depositOf(desk),
    payout: refundsOf(desk),
    readCallback: async (request) => {
      if (!isSigned(settings, request)) throw new Refusal('SIGNATURE_INVALID', 'The signature does not match.')
      return { events: await fetchAgain(desk, request.body) }
    },
    balance: (asset, block = db) => balanceOf(block, name, asset),
    statement: (period) => statementOf(db, name, period),
    noteChange: (block, change) => recordChange(block, name, change),
    noteWithheld: (block, withheld) => recordWithheld(block, name, withheld),
  }
  const begin = async (): Promise<void> => {
    const at = clock.realNow()
    const all = { rail: name, kind: 'disputes', id: 'all', reference: 'all' } as const
    await rememberItem(db, all, { at, lookAt: at })
  }
  return { rail, processor, begin }
}

/** The payments under our reference, the oldest first. The list leaves out balances and what became of 3-D Secure: each is asked for by itself. */
async function paymentsOf(call: Caller, reference: string): Promise<unknown[]> {
  const { data } = fieldsOf(await get(call, `/payments?reference=${encodeURIComponent(reference)}`))
  const ids = listOf(data).map((one) => textOf(fieldsOf(one).id))
  return Promise.all(
    ids
      .filter(isPayment)
      .toReversed()
      .map((id) => get(call, `/payments/${id}`)),
  )
}

/** A refund among the actions of its payment, which is its item's reference. */
async function refundAt(call: Caller, { id, reference: payment, status }: Item): Promise<Findings> {
  const path = `/payments/${encodeURIComponent(payment)}`
  const actions = await get(call, `${path}/actions`)
  const state = readRefund(actions, id)
  if (!state) return { events: [], status, settled: false, again: status === refused ? 'never' : 'soon' }
  return readRefundState(state, id, await get(call, path))
}

const isPayment = (id: string): boolean => /^pay_[a-z0-9]{26}$/.test(id)

const depositOf = (desk: Desk): DepositHalf => ({
  instruct: async () => ({ reference: randomToken(18), payTo: { kind: 'page' } }),
  open: async (order) => ({ payAt: await openPage(desk, order) }),
  pageOrigins: () => desk.settings.pageOrigins.map((url) => new URL(url).origin),
  look: async (reference) => {
    const { db, processor, settings } = desk
    const [item] = await itemsOf(db, { rail: settings.name, kind: 'payment', reference })
    const found = item && (await askAbout(processor, item))
    if (!found) return []
    const disputes = await itemsOf(db, { rail: settings.name, kind: 'dispute', reference })
    const about = await Promise.all(disputes.map(({ id }) => disputeEvents(desk, id)))
    return [...found.events, ...about.flat()]
  },
  origin: async (payment) => {
    const known = isPayment(payment) ? await get(desk.call, `/payments/${payment}`) : undefined
    return known === undefined ? 'unknown' : { address: payment, extraId: '', holder: '' }
  },
  disputes: true,
  grows: true,
})

/** A page that was opened lately is given again; its address is what we remember of it. */
async function openPage({ settings, db, call, processor }: Desk, order: DepositOrder): Promise<string> {
  const { name: rail } = settings
  const { reference, returnUrl } = order
  const at = processor.clock.realNow()
  const last = (await itemsOf(db, { rail, kind: 'payment', reference })).find(
    ({ opened_at: openedAt }) => after(openedAt, pageMs) > at,
  )
  if (last) return last.id
  const money = toMinor(decimalsOf, order.asset, order.amount)
  const { status, body } = await call({
    method: 'POST',
    path: '/hosted-payments',
    headers: { 'cko-idempotency-key': `${reference}-${Math.floor(at.getTime() / pageMs)}` },
    body: {
      amount: Number.parseInt(String(money.amount), 10),
      currency: money.currency,
      reference,
      processing_channel_id: settings.processingChannelId,
      billing: { address: { country: settings.country } },
      '3ds': { enabled: true },
      capture: true,
      success_url: returnUrl,
      failure_url: returnUrl,
      cancel_url: returnUrl,
    },
  })
  const { _links: links } = fieldsOf(body)
  const page = textOf(fieldsOf(fieldsOf(links).redirect).href)
  if (status >= 300 || !URL.canParse(page)) throw new Error(`Checkout.com refused a payment page with ${status}.`)
  await rememberItem(db, { rail, kind: 'payment', id: page, reference }, { at, lookAt: after(at, processor.everyMs) })
  return page
}

/** Refunds: the prepared payment's key is their reference and their idempotency key, and they are looked up before they are sent. */
const refundsOf = (desk: Desk): PayoutHalf => ({
  lookAfterMs: desk.settings.lookEveryMs,
  mostFee: () => undefined,
  prepare: async (orders) =>
    orders.map(({ payoutId, asset, amount, destination: { address } }) => {
      const digest = createHash('sha256').update(`${desk.settings.name}\n${payoutId}\n${address}`).digest('hex')
      const units = String(toMinor(decimalsOf, asset, amount).amount)
      return { key: `ref-${digest.slice(0, 32)}`, payoutId, body: { payment: address, units } }
    }),
  submit: ({ key, body: { payment = '', units = '' } }) => submit(desk, { key, payment, units }),
  look: ({ key }) => look(desk, key),
  owns: () => false,
})

/** What is noted of a request that Checkout.com took, or plainly refused, until the refund is among the payment's actions. */
const [accepted, refused] = ['accepted', 'refused']

async function submit(desk: Desk, { key, payment, units }: Record<'key' | 'payment' | 'units', string>): Promise<void> {
  const { settings, db, call, processor } = desk
  const path = `/payments/${encodeURIComponent(payment)}`
  if (readRefund(await get(call, `${path}/actions`), key)) return
  const at = processor.clock.realNow()
  const item = { rail: settings.name, kind: 'refund', id: key, reference: payment } as const
  await rememberItem(db, item, { at, lookAt: after(at, processor.everyMs) })
  const { status }: Answer = await call({
    method: 'POST',
    path: `${path}/refunds`,
    headers: { 'cko-idempotency-key': key },
    body: { amount: Number.parseInt(units, 10), reference: key },
  })
  await db.sql`
    update processor_items set status = ${status < 300 ? accepted : refused}
    where rail = ${settings.name} and kind = 'refund' and id = ${key} and status in ('', ${accepted}, ${refused})`
}

/** One that was seen to be approved stays done. It is never made only where Checkout.com declined or refused it, or never got it. */
async function look({ settings, db, processor }: Desk, key: string): Promise<PlanOutcome> {
  const item = await findItem(db, { rail: settings.name, kind: 'refund', id: key })
  const found = item && !item.settled ? await askAbout(processor, item) : undefined
  if (item?.settled || found?.settled) return { state: 'done', evidence: { hash: key, fee: undefined } }
  const isOpen = found?.again === 'soon' && (found.status !== '' || item?.status === accepted)
  return isOpen ? { state: 'pending' } : { state: 'never' }
}

/** HMAC-SHA256 with the webhook's key over the body as it came, in hexadecimal. */
function isSigned({ webhookKey }: CheckoutComSettings, { body, headers }: CallbackRequest): boolean {
  const expected = Buffer.from(createHmac('sha256', webhookKey).update(body).digest('hex'))
  const given = Buffer.from((headers['cko-signature'] ?? '').toLowerCase())
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** A webhook names a payment or a dispute, which is fetched: nothing else of it counts. */
async function fetchAgain(desk: Desk, text: string): Promise<RailEvent[]> {
  const { type, data } = fieldsOf(parseJson(text))
  const [id, name] = [textOf(fieldsOf(data).id), textOf(type)]
  if (id === '' || name === '') throw new Refusal('BAD_REQUEST', 'This is no webhook.')
  if (name.startsWith('dispute_')) return [...(await disputeEvents(desk, id))]
  const body = isPayment(id) ? await get(desk.call, `/payments/${id}`) : undefined
  return body === undefined ? [] : record(desk, await nameLess(desk.db, desk.settings.name, [readPayment(body)]))
}

async function record({ settings, db, processor }: Desk, events: readonly RailEvent[]): Promise<RailEvent[]> {
  await db.atomic(async (block) => recordMovements(block, settings.name, events, processor.clock.now()))
  return [...events]
}
