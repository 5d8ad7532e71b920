import { type Connection, openConnection, requestBytes } from './connection.ts'
import { answerOrders } from './helper-process.ts'

/**
 * A separate process that asks a server over HTTP, so that asking does not use up the server's core more than it must.
 * The same for both sides of a comparison.
 */
export type LoadOrder =
  | { kind: 'repeat'; origin: string; key: string; connections: number; ms: number; expect: number; what: Repeated }
  | { kind: 'buys'; origin: string; key: string; connections: number; count: number }

/**
 * What is asked again and again, one after the other. Estimates: of one pair, `amounts` different ones; or `count` of many
 * pairs for many keys, all of them with amounts of their own.
 */
export type Repeated =
  | { kind: 'estimate'; amounts: number }
  | { kind: 'pairs'; asks: PairAsk[]; keys: string[]; count: number }
  | { kind: 'create' }

/** A pair as a query names it, and the amounts to ask for, in units of so many decimals. */
export type PairAsk = { query: string; least: string; most: string; decimals: number }

/** How many were answered in how long; `startedAt` is the wall clock's, for comparing with other processes. */
export type LoadDone = { count: number; ms: number; startedAt: number }

/** A buy as a partner's program makes it, with all that it usually says. */
export const createBody = {
  from_currency: 'EUR',
  to_currency: 'BTC',
  from_amount: '100',
  payout_info: { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  customer: {},
  external_partner_link_id: 'order-0001',
}

/** The address of an estimate of so many cents. */
export const estimatePath = (cents: number): string =>
  `/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

/** The address of the estimate of a pair for one of its amounts. */
export function pairPath({ query, least, most, decimals }: PairAsk, index: number): string {
  const span = BigInt(most) - BigInt(least) + 1n
  const units = (BigInt(least) + (((BigInt(index) * span) / 60_000n) % span)).toString().padStart(decimals + 1, '0')
  const whole = units.slice(0, units.length - decimals)
  const amount = decimals === 0 ? whole : `${whole}.${units.slice(-decimals)}`
  return `/v1/estimate?${query}&from_amount=${amount}`
}

/** Every pair in turn; when all have been asked for one partner, for the next. */
function pairRequests({ asks, keys, count }: Extract<Repeated, { kind: 'pairs' }>): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const ask = asks[index % asks.length]
    const key = keys[Math.floor(index / asks.length) % keys.length]
    if (!ask || key === undefined) throw new Error('There is nothing to ask, or nobody to ask for.')
    return requestBytes({ path: pairPath(ask, index), key })
  })
}

function requestsOf({ key, what }: { key: string; what: Repeated }): Buffer[] {
  if (what.kind === 'pairs') return pairRequests(what)
  if (what.kind === 'create') return [requestBytes({ method: 'POST', path: '/v1/transaction', key }, createBody)]
  return Array.from({ length: what.amounts }, (_, index) => requestBytes({ path: estimatePath(10_000 + index), key }))
}

async function repeat(order: Extract<LoadOrder, { kind: 'repeat' }>): Promise<LoadDone> {
  const requests = requestsOf(order)
  const connections = await openAll(order)
  const startedAt = Date.now()
  const start = performance.now()
  const until = start + order.ms
  let count = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) {
        const request = requests[count % requests.length]
        count += 1
        const { status, body } = await connection.ask(request ?? Buffer.alloc(0))
        if (status !== order.expect) throw new Error(`${status}: ${body}`)
      }
    }),
  )
  const ms = performance.now() - start
  for (const connection of connections) connection.close()
  return { count, ms, startedAt }
}

/** Makes buys up to their payment, one after the other on each connection; what follows is not waited for. */
async function buys(order: Extract<LoadOrder, { kind: 'buys' }>): Promise<LoadDone> {
  const connections = await openAll(order)
  const startedAt = Date.now()
  const start = performance.now()
  let begun = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (begun < order.count) {
        begun += 1
        await buy(connection, order.key)
      }
    }),
  )
  const ms = performance.now() - start
  for (const connection of connections) connection.close()
  return { count: order.count, ms, startedAt }
}

async function buy(connection: Connection, key: string): Promise<void> {
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await connection.ask(requestBytes({ method: 'POST', path, key }, body))
    if (answer.status !== 201) throw new Error(`${path} ${answer.status}: ${answer.body}`)
    return answer.body
  }
  const [, id = ''] = /"id":"(\d+)"/.exec(await post('/v1/transaction', createBody)) ?? []
  await post(`/v1/sandbox/transaction/${id}/checkout`, {})
  await post(`/v1/sandbox/transaction/${id}/deposit`, {})
}

const openAll = ({ origin, connections }: { origin: string; connections: number }): Promise<Connection[]> =>
  Promise.all(Array.from({ length: connections }, () => openConnection(origin)))

answerOrders<LoadOrder, LoadDone>('load.js', (order) => (order.kind === 'buys' ? buys(order) : repeat(order)))
