import type { Body } from './b2b.ts'
import type { Exchange } from './exchange.ts'

/** A request. */
export type Asked = { path: string; body?: Body; method?: string }
/** An operation, and what comes of it for whom. */
export type Row = {
  operation: string
  /** Who may call it: whoever has no key, any key or a secret key. */
  who: 'anyone' | 'any-key' | 'secret-key'
  /** How it is asked so that it is done. Called anew for every request. */
  ask: () => Asked | Promise<Asked>
  /** What it is answered with then: 200 for GET and 201 for POST, unless it says so. */
  done?: number
  /** What a public key of the object's own partner gets, where `who` alone does not say it. */
  toPublic?: number
  /** What another partner's secret key gets for the first one's object; the same as for its own unless it says so. */
  foreign?: number
  /** The first partner's object in it, so that the other partner asks for just that; else what `ask` says. */
  askForeign?: () => Asked | Promise<Asked>
  /** The same with an object that nobody has. */
  unknown?: Asked
}

/** Where the first partner's endpoint is: words that nobody else may be told. */
export const hook = 'http://127.0.0.1:9/hook-of-the-first-partner'

/** A new endpoint of the first partner's that takes nothing, in place of those that were there but for the first one. */
export async function newEndpoint({ api }: Exchange): Promise<string> {
  const { body } = await api<{ data: { id: string }[] }>('/v1/webhook-endpoints')
  for (const { id } of body.data.slice(1)) await api(`/v1/webhook-endpoints/${id}`, { method: 'DELETE' })
  return (await api<{ id: string }>('/v1/webhook-endpoints', { body: { url: hook } })).body.id
}

type Known = { exchange: () => Exchange; endpoint: () => string; event: () => string; nobody: string }

/** The rows of the feed and of the endpoints. */
export function webhookRows({ exchange, endpoint, event, nobody }: Known): Row[] {
  const secret = { who: 'secret-key' as const }
  const onEndpoint = (method: string, below: string, body?: Body, done = 200): Row => {
    const at = (id: string): Asked => ({
      path: `/v1/webhook-endpoints/${id}${below}`,
      method,
      ...(body ? { body } : {}),
    })
    const operation = `${method} /v1/webhook-endpoints/:id${below}`
    return { ...secret, operation, ask: () => at(endpoint()), done, foreign: 404, unknown: at(nobody) }
  }
  const adding = (url: string): Asked => ({ path: '/v1/webhook-endpoints', body: { url } })
  return [
    { ...secret, operation: 'GET /v1/events', ask: () => ({ path: '/v1/events?limit=3' }) },
    {
      ...secret,
      operation: 'GET /v1/events',
      ask: () => ({ path: `/v1/events?after=${event()}` }),
      foreign: 400,
      unknown: { path: `/v1/events?after=evt_${nobody}000001` },
    },
    {
      ...secret,
      operation: 'POST /v1/webhook-endpoints',
      ask: async () => {
        await newEndpoint(exchange())
        return adding('http://127.0.0.1:9/hook')
      },
      askForeign: () => adding('http://127.0.0.1:9/other'),
    },
    { ...secret, operation: 'GET /v1/webhook-endpoints', ask: () => ({ path: '/v1/webhook-endpoints' }) },
    onEndpoint('GET', ''),
    onEndpoint('PATCH', '', { rate_limit: 5 }),
    onEndpoint('GET', '/attempts'),
    onEndpoint('POST', '/rotate-secret', {}, 201),
    onEndpoint('POST', '/test', {}, 201),
    onEndpoint('POST', '/replay', { since: '2026-01-01' }, 201),
    {
      ...onEndpoint('DELETE', '', undefined, 204),
      ask: async () => ({ path: `/v1/webhook-endpoints/${await newEndpoint(exchange())}`, method: 'DELETE' }),
      askForeign: () => ({ path: `/v1/webhook-endpoints/${endpoint()}`, method: 'DELETE' }),
    },
  ]
}
