import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import type { Database } from '../../platform/db/sql.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { DepositHarness, Instruction, RailHarness } from '../conformance/harness.ts'
import { followOnce } from '../processor/follow.ts'
import type { CallbackRequest, Destination, RailEvent } from '../rail.ts'
import { openCheckoutComRail } from './rail.ts'

type Payment = { id: string; reference: string; status: string; amount: number; currency: string; actions: Action[] }
type Action = { id: string; type: string; reference: string; amount: number; approved?: boolean }
type Dispute = Record<'id' | 'status' | 'currency', string> & {
  amount: number
  payment: object
  evidence_required_by: string
}

const payments = new Map<string, Payment>()
const disputes = new Map<string, Dispute>()
const pages = new Map<string, { reference: string; amount: number; currency: string }>()
const keys = new Set<string>()
let owed: CallbackRequest[] = []
let losesAnswer = false
let url = ''
let db: Database
let at = Date.parse('2026-03-02T10:00:00.500Z')
let ids = 1_000n

const newId = (kind: string): string => `${kind}_${randomBytes(13).toString('hex')}`
const conflict = (): never => {
  throw new Refusal('CONFLICT', 'That cannot happen now.')
}
const sign = (body: string): CallbackRequest => ({
  body,
  headers: { 'cko-signature': createHmac('sha256', 'webhook-key-of-a-test').update(body).digest('hex') },
})
const owe = (type: string, data: object): void => void owed.push(sign(JSON.stringify({ id: newId('evt'), type, data })))
const take = (): CallbackRequest[] => {
  const taken = owed
  owed = []
  return taken
}

/** Checkout.com as its API reference describes it, as far as the adapter asks. */
function answer(method: string, path: string, sent: Record<string, unknown>, key: string): [number, unknown] {
  const [, resource = '', id = '', action = ''] = (path.split('?')[0] ?? '').split('/')
  const payment = payments.get(id)
  if (resource === 'hosted-payments') {
    const hosted = newId('hpp')
    pages.set(hosted, sent as { reference: string; amount: number; currency: string })
    return [201, { id: hosted, reference: sent.reference, _links: { redirect: { href: `${url}/page/${hosted}` } } }]
  }
  if (resource === 'disputes') return disputes.has(id) ? [200, disputes.get(id)] : [404, undefined]
  if (resource === 'payments' && id === '') {
    const reference = new URL(path, url).searchParams.get('reference')
    const data = [...payments.values()].filter((one) => one.reference === reference).toReversed()
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
  return [200, payment]
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  if (request.headers.authorization !== 'Bearer sk_test') return void response.writeHead(401).end()
  const key = String(request.headers['cko-idempotency-key'] ?? '')
  const sent = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  const [status, body] = answer(request.method ?? '', request.url ?? '', sent, key)
  if (losesAnswer && request.method === 'POST') {
    losesAnswer = false
    return void response.destroy()
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? '' : JSON.stringify(body))
}

const server = createServer((request, response) => void serve(request, response))
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  ;({ db } = await testContext(await testDatabase()))
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await db.close()
})

const realNow = (): Date => new Date(at)
const clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined }

const open = () =>
  openCheckoutComRail(
    {
      name: 'checkout',
      baseUrl: url,
      secretKey: 'sk_test',
      webhookKey: 'webhook-key-of-a-test',
      processingChannelId: 'pc_test',
      country: 'NL',
      serves: ['VISA_MC'],
      pageOrigins: [url],
      lookEveryMs: 30_000,
    },
    { db, clock, log: silentLog, timeoutMs: 2_000 },
  )
type Opened = ReturnType<typeof open>

const paymentOf = ({ reference }: Instruction): Payment =>
  [...payments.values()].findLast((one) => one.reference === reference) ?? conflict()
const disputeOf = (one: Instruction): Dispute => disputes.get(`dsp_${paymentOf(one).id}`) ?? conflict()

/** The customer tries to pay at the page of an order. */
async function attempt({ rail }: Opened, one: Instruction, status: string, event: string): Promise<Payment> {
  const { reference, asset, amount, category } = one
  const order = { reference, asset, amount, category, returnUrl: 'https://exchange.example/', locale: 'en' }
  const { payAt = '' } = (await rail.deposit?.open?.(order)) ?? {}
  const page = pages.get(payAt.split('/').at(-1) ?? '') ?? assert.fail('the page is known')
  const paid = [...payments.values()].find((known) => known.reference === reference && known.status === 'Captured')
  if (paid) return paid
  const payment = { id: newId('pay'), reference, status, amount: page.amount, currency: page.currency, actions: [] }
  payments.set(payment.id, payment)
  owe(event, { id: payment.id, reference })
  return payment
}

function end(one: Instruction, status: 'won' | 'lost'): void {
  const dispute = disputeOf(one)
  if (dispute.status !== 'evidence_required') return conflict()
  dispute.status = status
  owe(`dispute_${status}`, { id: dispute.id })
}

const depositsOf = (opened: Opened): DepositHarness => ({
  category: 'VISA_MC',
  asset: 'EUR-EUR',
  amount: 12_345n,
  bodyFields: ['reason'],
  pay: (one) => attempt(opened, one, 'Captured', 'payment_captured'),
  decline: async (one) => void (await attempt(opened, one, 'Declined', 'payment_declined')),
  duplicate: async (one) => owe('payment_captured', { id: paymentOf(one).id }),
  reportUnknown: async (one) => {
    paymentOf(one).status = 'Frobnicated'
    owe('payment_frobnicated', { id: paymentOf(one).id })
  },
  dispute: {
    open: async (one) => {
      const { id, reference, amount, currency } = paymentOf(one)
      const dispute = { id: `dsp_${id}`, status: 'evidence_required', amount, currency, payment: { id, reference } }
      disputes.set(dispute.id, { ...dispute, evidence_required_by: '2026-04-02T10:00:00Z' })
      owe('dispute_received', { id: dispute.id })
    },
    win: async (one) => end(one, 'won'),
    lose: async (one) => end(one, 'lost'),
  },
})

async function harness(): Promise<RailHarness> {
  const opened = open()
  const { rail, processor } = opened
  const pass = async () => {
    at += 60_000
    while ((await followOnce(processor, async () => undefined)) > 0);
  }
  const deposits = depositsOf(opened)
  const destination = async (): Promise<Destination> => {
    const order = { id: (ids += 1n), category: 'VISA_MC', asset: 'EUR-EUR', amount: 12_345n }
    const instruction = (await rail.deposit?.instruct(order)) ?? assert.fail()
    const { id } = await deposits.pay({ ...order, ...instruction })
    await pass()
    return { address: id, extraId: '', holder: '' }
  }
  return {
    rail,
    reopen: () => open().rail,
    nextId: () => (ids += 1n),
    settle: async () => {
      for (const { actions } of payments.values()) for (const action of actions) action.approved = true
      await pass()
    },
    report: async () => {
      const events: RailEvent[] = []
      for (const call of take()) events.push(...((await rail.readCallback?.(call))?.events ?? []))
      return events
    },
    deposits,
    payouts: {
      asset: 'EUR-EUR',
      hash: /^ref-[0-9a-f]{32}$/,
      costsFee: false,
      tooMuch: 10n ** 12n,
      destination,
      own: [],
      loseAnswer: async () => {
        losesAnswer = true
      },
    },
    callbacks: { take: async () => take(), sign },
  }
}

describeRail('of Checkout.com', harness)
