import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { CallbackRequest } from '../../src/rails/rail.ts'

export type FakePayment = Record<'id' | 'reference' | 'status' | 'currency', string> & {
  amount: number
  captured: number
  actions: Action[]
  /** What was seen of the card and of 3-D Secure, and whatever else `GET /payments/{id}` shows. */
  [more: string]: unknown
}
type Action = { id: string; type: string; reference: string; amount: number; approved?: boolean }
export type FakeDispute = Record<'id' | 'status' | 'currency', string> & {
  amount: number
  payment: { id: string; reference: string }
  evidence_required_by: string
}

/** Checkout.com in memory. */
export type FakeCheckoutCom = {
  url: string
  payments: Map<string, FakePayment>
  disputes: Map<string, FakeDispute>
  pages: Map<string, { reference: string; amount: number; currency: string }>
  keys: Set<string>
  owed: CallbackRequest[]
  /** The answer to the next request that changes something gets lost. */
  losesAnswer: boolean
  /** It can't be reached as long as this is set. */
  isAway: boolean
}

const newId = (kind: string): string => `${kind}_${randomBytes(13).toString('hex')}`

export const sign = (body: string): CallbackRequest => ({
  body,
  headers: { 'cko-signature': createHmac('sha256', 'webhook-key-of-a-test').update(body).digest('hex') },
})

/** What Checkout.com shows of a payment by card that went well. */
const goodCard = (): Record<'source' | '3ds' | 'eci', unknown> => ({
  source: {
    type: 'card',
    scheme: 'Visa',
    last4: '4242',
    bin: '424242',
    fingerprint: randomBytes(32).toString('hex').toUpperCase(),
    issuer_country: 'NL',
    avs_check: 'S',
    cvv_check: 'Y',
  },
  '3ds': {
    downgraded: false,
    enrolled: 'Y',
    signature_valid: 'Y',
    authentication_response: 'Y',
    version: '2.2.0',
  },
  eci: '05',
})

/** The customer pays at a page. */
export function payAt(
  { pages, payments }: FakeCheckoutCom,
  page: string,
  { status = 'Captured', captured, ...more }: Partial<FakePayment> = {},
): FakePayment {
  const { reference, amount, currency } = pages.get(page.split('/').at(-1) ?? '') ?? assert.fail('the page is known')
  const came = captured ?? (status === 'Captured' ? amount : 0)
  const known = { id: newId('pay'), reference, status, amount, currency, captured: came, actions: [] }
  const payment: FakePayment = { ...goodCard(), ...known, ...more }
  payments.set(payment.id, payment)
  return payment
}

/** Owes a webhook. */
export const owe = ({ owed }: FakeCheckoutCom, type: string, data: object): void =>
  void owed.push(sign(JSON.stringify({ id: newId('evt'), type, data })))

/** Checkout.com as its API reference describes it, as far as the adapter asks. */
function answer(
  { url, payments, disputes, pages, keys }: FakeCheckoutCom,
  method: string,
  path: string,
  sent: Record<string, unknown>,
  key: string,
): [number, unknown] {
  const [, resource = '', id = '', action = ''] = (path.split('?')[0] ?? '').split('/')
  const payment = payments.get(id)
  if (resource === 'hosted-payments') {
    const hosted = newId('hpp')
    pages.set(hosted, sent as { reference: string; amount: number; currency: string })
    return [201, { id: hosted, reference: sent.reference, _links: { redirect: { href: `${url}/page/${hosted}` } } }]
  }
  if (resource === 'disputes' && id === '') {
    const asked = new URL(path, url).searchParams
    const [skip, limit] = [Number(asked.get('skip')), Number(asked.get('limit'))]
    const data = [...disputes.values()].map(({ id: dispute, status, payment: { reference } }) => ({
      id: dispute,
      status,
      payment_reference: reference,
    }))
    return [200, { total_count: data.length, data: data.slice(skip, skip + limit) }]
  }
  if (resource === 'disputes') return disputes.has(id) ? [200, disputes.get(id)] : [404, undefined]
  if (resource === 'payments' && id === '') {
    const reference = new URL(path, url).searchParams.get('reference')
    const data = [...payments.values()]
      .filter((one) => one.reference === reference)
      .toReversed()
      .map((one) => ({ ...one, captured: undefined, actions: undefined, '3ds': undefined }))
    return [200, { total_count: data.length, data }]
  }
  if (!payment) return [404, undefined]
  if (action === 'actions') return [200, payment.actions]
  if (method === 'POST' && action === 'refunds') {
    if (keys.has(key)) return [202, { reference: sent.reference }]
    const amount = sent.amount as number
    const refunded = payment.actions.reduce((sum, one) => sum + (one.type === 'Refund' ? one.amount : 0), 0)
    if (amount + refunded > payment.amount) return [422, { error_codes: ['refund_amount_exceeds_balance'] }]
    keys.add(key)
    payment.actions.push({ id: newId('act'), type: 'Refund', reference: String(sent.reference), amount })
    return [202, { reference: sent.reference }]
  }
  return [200, { ...payment, balances: { total_captured: payment.captured } }]
}

async function serve(fake: FakeCheckoutCom, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (fake.isAway) return void request.socket.destroy()
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  if (request.headers.authorization !== 'Bearer sk_test') return void response.writeHead(401).end()
  const key = String(request.headers['cko-idempotency-key'] ?? '')
  const sent = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  const [status, body] = answer(fake, request.method ?? '', request.url ?? '', sent, key)
  if (fake.losesAnswer && request.method === 'POST') {
    fake.losesAnswer = false
    return void response.destroy()
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? '' : JSON.stringify(body))
}

export async function startCheckoutCom(): Promise<{ fake: FakeCheckoutCom; stop(): void }> {
  const fake: FakeCheckoutCom = {
    url: '',
    payments: new Map(),
    disputes: new Map(),
    pages: new Map(),
    keys: new Set(),
    owed: [],
    losesAnswer: false,
    isAway: false,
  }
  const server = createServer((request, response) => void serve(fake, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    fake,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
