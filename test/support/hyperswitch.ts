import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { HyperswitchSettings } from '../../src/rails/hyperswitch/settings.ts'
import {
  controlsOf,
  type FakePayment,
  type FakePayout,
  type HyperswitchControls,
  type HyperswitchWorld,
  testWebhookKey,
} from './hyperswitch-world.ts'

/**
 * How a request fails: with a 500 before or after its work, without any answer after its work, with an answer that comes late, or with
 * another body.
 */
export type Fault =
  | '500'
  | '500_after'
  | 'silence_after'
  | { answersAfter: Promise<void> }
  | { status: number; body: string; type?: string }

/** A stand-in for Hyperswitch, with everything it was asked to do, and what it does on command. */
export type FakeHyperswitch = HyperswitchWorld &
  HyperswitchControls & {
    url: string
    settings: HyperswitchSettings
    /** Methods and paths that were asked, without queries. */
    asked: string[]
    /** Lets the next requests that match fail. */
    fail(method: string, path: RegExp, fault: Fault, times?: number): void
    /** Nothing fails any more. */
    heal(): void
    /** It can't be reached as long as this is set. */
    isAway: boolean
    stop(): Promise<void>
  }

/** What answers a request. */
type Counter = { world: HyperswitchWorld; controls: HyperswitchControls; url: string }

const apiKey = 'snd_key_of_a_test'
const profileId = 'pro_of_a_test'

/** What a card of the page's form does. */
const cards: Readonly<Record<string, 'pay' | 'decline' | 'challenge'>> = {
  '4242424242424242': 'pay',
  '4000000000000002': 'decline',
  '4000000000003220': 'challenge',
}

const authenticated = { status: 'success', electronic_commerce_indicator: '05', version: '2.2.0' }

const send = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const refuse = (response: ServerResponse, status: number, code: string, message: string): void =>
  send(response, status, { error: { type: 'invalid_request', message, code } })

const show = (response: ServerResponse, object: object | undefined): void =>
  object ? send(response, 200, object) : refuse(response, 404, 'HE_02', 'It does not exist in our records.')

/**
 * Starts a server that answers as the API reference's `openapi_spec_v1.json` says (juspay/hyperswitch, read 2026-11-23), with
 * payment link pages, and webhooks that are owed until they are taken or delivered.
 */
export async function startHyperswitch(change: Partial<HyperswitchSettings> = {}): Promise<FakeHyperswitch> {
  const world: HyperswitchWorld = {
    payments: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    payouts: new Map(),
    owed: [],
  }
  const controls = controlsOf(world, testWebhookKey)
  const asked: string[] = []
  const faults: { method: string; path: RegExp; fault: Fault; times: number }[] = []
  const counter: Counter = { world, controls, url: '' }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fake.isAway) return void request.socket.destroy()
    const { method = '', url = '', headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const sent = Buffer.concat(chunks).toString()
    const { pathname } = new URL(url, 'http://fake')
    asked.push(`${method} ${pathname}`)
    if (pathname.startsWith('/payment_link/')) return showPage(counter, method, pathname, sent, response)
    if (headers['api-key'] !== apiKey) return refuse(response, 401, 'IR_01', 'API key not provided or invalid')
    const next = faults.find((one) => one.times > 0 && one.method === method && one.path.test(pathname))
    if (next) next.times -= 1
    answerFaulty(next?.fault, response, (to) => answer(counter, `${method} ${pathname}`, sent, to))
  }

  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  counter.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeHyperswitch = {
    ...world,
    ...controls,
    isAway: false,
    url: counter.url,
    settings: { ...settingsAt(counter.url), ...change },
    asked,
    fail: (method, path, fault, times = 1) => void faults.push({ method, path, fault, times }),
    heal: () => void faults.splice(0),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return fake
}

const settingsAt = (baseUrl: string): HyperswitchSettings => ({
  name: 'cards',
  baseUrl,
  apiKey,
  webhookKey: testWebhookKey,
  profileId,
  serves: ['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY'],
  currencies: undefined,
  capture: 'automatic',
  authentication: 'three_ds',
  lookEveryMs: 30_000,
  payouts: false,
  pageOrigins: [],
})

/** Does the work, or not, and answers as a fault wants it. */
function answerFaulty(fault: Fault | undefined, response: ServerResponse, work: (to: ServerResponse) => void): void {
  if (fault === undefined) return work(response)
  if (fault === '500') return send(response, 500, { error: { type: 'api', code: 'HE_00' } })
  if (typeof fault === 'object' && 'answersAfter' in fault) {
    return work({
      writeHead: (...head: [number, Record<string, string>]) => ({
        end: (body: string) => void fault.answersAfter.then(() => response.writeHead(...head).end(body)),
      }),
    } as unknown as ServerResponse)
  }
  if (typeof fault === 'object') {
    return void response.writeHead(fault.status, { 'content-type': fault.type ?? 'application/json' }).end(fault.body)
  }
  const unheard = { writeHead: () => ({ end: () => undefined }) } as unknown as ServerResponse
  work(unheard)
  if (fault === '500_after') return send(response, 500, { error: { type: 'api', code: 'HE_00' } })
  response.destroy()
}

function answer(counter: Counter, request: string, sent: string, response: ServerResponse): void {
  const { payments, refunds, payouts, disputes } = counter.world
  const body = sent.startsWith('{') ? (JSON.parse(sent) as Record<string, unknown>) : {}
  const [, resource = '', name = '', action = ''] = request.split('/').map((part) => decodeURIComponent(part))
  const isRead = request.startsWith('GET ')
  switch (resource) {
    case 'payments': {
      if (!isRead) return name === '' ? createPayment(counter, body, response) : act(counter, name, action, response)
      const payment = payments.get(name)
      const own = [...disputes.values()].filter((one) => one.payment_id === name)
      return show(response, payment && { ...payment, disputes: own })
    }
    case 'refunds':
      return isRead ? show(response, refunds.get(name)) : createRefund(counter, body, response)
    case 'payouts':
      return isRead ? show(response, payouts.get(name)) : createPayout(counter, body, response)
    case 'disputes':
      return name === 'list' ? send(response, 200, [...disputes.values()]) : show(response, disputes.get(name))
    default:
      return refuse(response, 404, 'HE_03', 'Unknown path')
  }
}

function createPayment({ world, url }: Counter, sent: Record<string, unknown>, response: ServerResponse): void {
  const id = String(sent.payment_id)
  if (id.length !== 30) return refuse(response, 400, 'IR_06', 'payment_id should be 30 characters long')
  if (sent.profile_id !== profileId) return refuse(response, 404, 'HE_02', 'Business profile does not exist')
  if (world.payments.has(id)) return refuse(response, 400, 'HE_01', 'The payment with this payment_id already exists')
  const payment: FakePayment = {
    ...(sent as FakePayment),
    payment_id: id,
    merchant_id: 'merchant_of_a_test',
    profile_id: profileId,
    status: 'requires_payment_method',
    net_amount: sent.amount as number,
    amount_capturable: 0,
    amount_received: null,
    payment_method: 'card',
    attempt_count: 1,
    payment_link: { payment_link_id: `plink_${id}`, link: `${url}/payment_link/merchant_of_a_test/${id}` },
  }
  world.payments.set(id, payment)
  send(response, 200, payment)
}

function createRefund({ world }: Counter, sent: Record<string, unknown>, response: ServerResponse): void {
  const [id, paymentId, amount] = [String(sent.refund_id), String(sent.payment_id), sent.amount as number]
  const payment = world.payments.get(paymentId)
  if (id.length !== 30) return refuse(response, 400, 'IR_06', 'refund_id should be 30 characters long')
  if (!payment) return refuse(response, 404, 'HE_02', 'Payment does not exist in our records')
  if (world.refunds.has(id)) return refuse(response, 400, 'HE_01', 'Duplicate refund request')
  const others = [...world.refunds.values()].filter((one) => one.payment_id === paymentId && one.status !== 'failed')
  const refunded = others.reduce((sum, one) => sum + one.amount, 0)
  if (payment.status !== 'succeeded' || amount + refunded > (payment.amount_received ?? 0)) {
    return refuse(response, 400, 'IR_13', 'The refund amount exceeds the amount captured')
  }
  const { currency } = payment
  world.refunds.set(id, {
    refund_id: id,
    payment_id: paymentId,
    amount,
    currency,
    status: 'pending',
    profile_id: profileId,
  })
  show(response, world.refunds.get(id))
}

function createPayout({ world }: Counter, sent: Record<string, unknown>, response: ServerResponse): void {
  const { payout_id: id, amount, currency, payout_method_data: data } = sent as FakePayout
  if (id.length !== 30) return refuse(response, 400, 'IR_06', 'payout_id should be 30 characters long')
  if (world.payouts.has(id)) return refuse(response, 400, 'HE_01', 'Duplicate payout request')
  const payout = { payout_id: id, amount, currency, status: 'pending', profile_id: profileId, payout_method_data: data }
  world.payouts.set(id, payout)
  send(response, 200, payout)
}

/** Captures or cancels an authorized payment. */
function act({ world, controls }: Counter, id: string, what: string, response: ServerResponse): void {
  const payment = world.payments.get(id)
  if (!payment) return show(response, undefined)
  if (payment.status !== 'requires_capture') return refuse(response, 400, 'IR_14', `It cannot ${what} this payment`)
  if (what === 'capture') {
    const captured = { status: 'succeeded', amount_received: payment.amount, amount_capturable: 0 }
    controls.change(id, captured, 'payment_captured')
  } else controls.change(id, { status: 'cancelled', amount_capturable: 0 })
  send(response, 200, payment)
}

/** The payment link's page: a form for a card, and one for its bank's challenge. */
function showPage(
  { world, controls }: Counter,
  method: string,
  path: string,
  sent: string,
  response: ServerResponse,
): void {
  const id = path.split('/').at(-1) ?? ''
  const payment = world.payments.get(id)
  if (!payment) return void response.writeHead(404).end('Not found')
  const form = new URLSearchParams(sent)
  const go = (location: string): void => void response.writeHead(303, { location }).end()
  const html = (fields: string): void =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>Pay</title><form method="post">${fields}</form>`)
  if (method === 'GET') {
    return payment.status === 'requires_customer_action'
      ? html('<button name="challenge" value="pass">Confirm</button>')
      : html(`<p>${payment.amount} ${payment.currency}</p><input name="card"><button>Pay</button>`)
  }
  const card = cards[form.get('card') ?? '']
  if (card === 'challenge') {
    controls.change(id, { status: 'requires_customer_action' }, 'action_required')
    return go(payment.payment_link.link)
  }
  if (form.get('challenge') === 'pass') controls.pay(id, { external_authentication_details: authenticated })
  else if (card === 'pay') controls.pay(id)
  else controls.change(id, { status: 'failed', error_code: 'card_declined', unified_code: 'UE_9000' })
  go(payment.return_url)
}

/** Posts a form of the payment link's page. */
export async function submitAt(page: string, form: Record<string, string>): Promise<void> {
  const answer = await fetch(page, { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) })
  assert.equal(answer.status, 303)
}

/** Pays at the page with a card whose bank asks for 3-D Secure, and passes it. */
export async function passChallenge(page: string): Promise<void> {
  await submitAt(page, { card: '4000000000003220' })
  assert.match(await (await fetch(page)).text(), /name="challenge"/)
  await submitAt(page, { challenge: 'pass' })
}
