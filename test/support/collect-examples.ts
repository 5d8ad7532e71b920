import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'

import { readFeed } from '../../src/exchange/events/feed.ts'
import { setPartner } from '../../src/exchange/partners/change.ts'
import { disablePayoutAddress } from '../../src/exchange/partners/payout-address-status.ts'
import type { Examples } from '../../src/doors/api/openapi/examples.ts'
import { type Asking, type Exchange, startExchange } from './exchange.ts'
import { parameterOf, placeNames, refused, type Request, requests } from './example-requests.ts'
import { checkOut } from './journey.ts'
import { exampleOrigin } from './openapi.ts'
import { until } from './telling.ts'

/** The moment at which every example is answered. */
const moment = new Date('2030-03-01T10:30:00.000Z')

/**
 * Asks a sandbox, whose clock stands still, for one good answer of every operation and for refusals, and takes what it tells by
 * webhooks. What differs from run to run is made equal: ids, the origin, cursors. Long lists are cut to two.
 */
export async function collectExamples(): Promise<Examples> {
  const exchange = await startExchange({ LOG_LEVEL: 'fatal' })
  try {
    Object.assign(exchange.service.composition.ctx.clock, { now: () => new Date(moment) })
    const operations: Examples['operations'] = {}
    const names = new Map<string, string>()
    for (const request of requests) {
      const exchanged = await ask(exchange, request, names)
      operations[request.operation] = [...(operations[request.operation] ?? []), exchanged]
    }
    const errors = { ...(await refusalsOf(exchange)), ...(await refusalsOfAccount(exchange, names)) }
    await checkOut(exchange, names.get('id') ?? '')
    const webhooks = await toldBy(exchange)
    return normalizer(exchange.url)({ operations, errors, webhooks }) as Examples
  } finally {
    await exchange.stop()
  }
}

async function ask(exchange: Exchange, request: Request, names: Map<string, string>) {
  const filled = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_all, name: string) => names.get(name) ?? placeNames[name] ?? name)
  const placed = [...request.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
    parameterOf(name),
    filled(`{${name}}`),
  ])
  const { path, query, operation, keep } = request
  const body = request.body && (JSON.parse(filled(JSON.stringify(request.body))) as Record<string, unknown>)
  const url = `${filled(path)}${query ? `?${new URLSearchParams(query)}` : ''}`
  const { method } = request
  const answer = await exchange.api(url, { ...(body ? { body } : {}), ...(method ? { method } : {}) })
  assert(answer.status < 300, `${operation}: ${answer.status} ${JSON.stringify(answer.body)}`)
  if (keep !== undefined) names.set(keep, String(answer.body.id))
  return {
    request: {
      ...(placed.length > 0 ? { path: Object.fromEntries(placed) as Record<string, string> } : {}),
      ...(query ? { query } : {}),
      ...(body ? { body } : {}),
    },
    status: answer.status,
    answer: answer.body,
  }
}

async function refusalsOf(exchange: Exchange): Promise<Record<string, unknown>> {
  const { sandbox } = exchange
  const keys = { public: sandbox.public_key, second: sandbox.second_partner.secret_key, none: null }
  const errors: Record<string, unknown> = {}
  for (const [code, { path, body, key, headers = {} }] of Object.entries(refused)) {
    const asking = { ...(body === undefined ? {} : { body }), ...(key ? { key: keys[key] } : {}), headers }
    const answer = await exchange.api(path, asking)
    assert.equal(answer.body.code, code, `${path}: ${JSON.stringify(answer.body)}`)
    errors[code] = answer.body
  }
  return errors
}

/** Refusals that need an account which is made so, or a request before. */
async function refusalsOfAccount(exchange: Exchange, names: Map<string, string>): Promise<Record<string, unknown>> {
  const { ctx } = exchange.service.composition
  const { partner_id: second, secret_key: key } = exchange.sandbox.second_partner
  const untilRefused = async (code: string, path: string, asking: Asking = {}): Promise<[string, unknown]> => {
    let refusal: unknown
    await until(async () => {
      const { body } = await exchange.api(path, asking)
      refusal = body
      return body.code === code
    }, code)
    return [code, refusal]
  }
  const order = { from_amount: '10000', from_currency: 'EUR', to_currency: 'BTC' }
  const once = { headers: { 'idempotency-key': 'order-7' } }
  await exchange.api('/v1/transaction/health', { body: order, ...once })
  const mismatch = await untilRefused('IDEMPOTENCY_MISMATCH', '/v1/transaction/health', {
    body: { ...order, from_amount: '20000' },
    ...once,
  })
  const wallet = names.get('wallet') ?? ''
  await disablePayoutAddress(ctx, { id: BigInt(wallet), actor: 'test' })
  const conflict = await untilRefused('CONFLICT', '/v1/b2b/transaction', {
    body: { ...order, payout_address_id: wallet },
  })
  const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await setPartner(ctx, BigInt(second), { signing_key: pem, signing: 'all' }, 'test')
  const unsigned = await untilRefused('SIGNATURE_INVALID', '/v1/transactions', { key })
  await setPartner(ctx, BigInt(second), { key_per_second: '1', key_burst: '1' }, 'test')
  const often = await untilRefused('RATE_LIMITED', '/v1/transactions', { key })
  return Object.fromEntries([mismatch, conflict, unsigned, often])
}

/** Everything that the partner was told so far: of each type the first. */
async function toldBy({ service, sandbox }: Exchange): Promise<Record<string, unknown>> {
  const wanted = [
    'transaction.created',
    'transaction.status_changed',
    'customer.status_changed',
    'b2b.transaction.status_changed',
    'b2b.payout_address.status_changed',
  ]
  const told: Record<string, unknown> = {}
  await until(async () => {
    const page = await readFeed(service.composition.ctx, BigInt(sandbox.partner_id), { after: undefined, limit: 100 })
    for (const text of page.bodies) {
      const event = JSON.parse(text) as { type: string }
      told[event.type] ??= event
    }
    return wanted.every((type) => type in told)
  }, 'the events')
  return Object.fromEntries(Object.entries(told).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Makes what differs from run to run equal, the same thing always to the same. */
function normalizer(origin: string): (value: unknown, name?: string) => unknown {
  const ids = new Map<string, string>()
  const idFor = (id: string): string => {
    const known = ids.get(id) ?? String(271_828_182_845_904n + BigInt(ids.size) * 2_718_281_828_459n)
    ids.set(id, known)
    return known
  }
  const text = (value: string, name: string): string => {
    if (name === 'request_id') return 'k3jx9v2m1q0b'
    if (name === 'secret') return `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
    if (name === 'next_cursor') return 'b3BhcXVlLCBlbmNyeXB0ZWQ'
    return value
      .replaceAll(origin, exampleOrigin)
      .replace(/(?<=[?]tid=)[\w-]{24}/g, 'oYb1m7m2Zq0X8d5cJ4tQwVfK')
      .replace(/evt_(\d{15,19})(\d{6})/g, (_all, id: string, sequence: string) => `evt_${idFor(id)}${sequence}`)
      .replace(/(?<!\d|evt_\d*)(?:\d{15}|\d{17,19})(?!\d)/g, idFor)
      .replace(/\bRF\d{2}[A-Z0-9]{5,21}\b/g, 'RF18539007547034')
  }
  const normal = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return text(value, name)
    if (Array.isArray(value)) return (value.length > 4 ? value.slice(0, 2) : value).map((item) => normal(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item, key)]))
  }
  return normal
}
