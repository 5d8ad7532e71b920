import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'

import { tidOf } from '../support/checkout-link.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create, pay, readyToPay } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ TRUSTED_PROXIES: '127.0.0.1/32' })
})
after(() => exchange.stop())

const changed = 'event: changed\ndata:\n\n'

type Line = { next(): Promise<string | undefined>; close(): void }

/** A line as a browser keeps it open, on a connection of its own; `next` gives what is sent, undefined at its end. */
async function openLine(id: string): Promise<Line> {
  const request = get(`${exchange.url}/checkout/events?tid=${await tidOf(exchange, id)}`, { agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(answer.headers['cache-control'], 'no-store')
  const sent = events(answer.setEncoding('utf8'))
  return {
    next: async () => (await sent.next()).value,
    close: () => void request.destroy(),
  }
}

/** What a stream says, cut where a browser cuts it: a read may bring several events, or half of one. */
async function* events(stream: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const text of stream) {
    const parts = (rest + text).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) yield `${part}\n\n`
  }
  return undefined
}

test('a page that waits hears of every change of its order within seconds, and of no other order', async () => {
  const [{ id }, other] = [await readyToPay(exchange), await create(exchange)]
  const [line, quiet] = [await openLine(id), await openLine(other.id)]
  for (const one of [line, quiet]) {
    assert.equal(await one.next(), 'retry: 3000\n\n')
    assert.equal(await one.next(), changed)
  }
  const started = performance.now()
  await pay(exchange, id)
  assert.equal(await line.next(), changed)
  assert.ok(performance.now() - started < promised(4_000), 'it took more than four seconds')
  const unheard = quiet.next().catch(() => undefined)
  const heard = await Promise.race([unheard, new Promise((resolve) => setTimeout(resolve, 1_500))])
  assert.equal(heard, undefined)
  for (const one of [line, quiet]) one.close()
})

test('a page that has only begun to listen hears once, so that no change between its last look and then is missed', async () => {
  const { id } = await readyToPay(exchange)
  // The second comes when changes of this order are followed already.
  for (const line of [await openLine(id), await openLine(id)]) {
    assert.equal(await line.next(), 'retry: 3000\n\n')
    const late = AbortSignal.timeout(promised(4_000))
    const heard = await Promise.race([line.next(), once(late, 'abort').then(() => 'nothing')])
    assert.equal(heard, changed)
  }
})

test('a line says nothing of the order, ends with the service, and there is none for what is no order’s number', async () => {
  for (const query of ['?tid=abc', '']) {
    const refused = await fetch(`${exchange.url}/checkout/events${query}`)
    assert.deepEqual([refused.status, await refused.text()], [404, ''])
  }
  const one = await startExchange()
  const { id } = await readyToPay(one)
  const answer = await fetch(`${one.url}/checkout/events?tid=${await tidOf(one, id)}`)
  const whole = answer.text()
  const started = performance.now()
  await one.stop()
  assert.equal(await whole, 'retry: 3000\n\n')
  assert.ok(performance.now() - started < promised(5_000), 'an open page keeps nobody from stopping')
})

test('one network has a tenth of the streams of a process at most, and leaves the others room', async () => {
  const { id } = await readyToPay(exchange)
  const path = `${exchange.url}/checkout/events?tid=${await tidOf(exchange, id)}`
  const ask = async (from: string) => {
    const request = get(path, { agent: false, headers: { 'x-forwarded-for': from } })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, request }
  }
  const lines = await Promise.all(Array.from({ length: 200 }, () => ask('198.51.100.7')))
  assert.deepEqual([...new Set(lines.map(({ status }) => status))], [200])
  const [over, other] = await Promise.all([ask('198.51.100.7'), ask('198.51.100.8')])
  assert.deepEqual([over.status, other.status], [503, 200])
  lines[0]?.request.destroy()
  await until(async () => (await ask('198.51.100.7')).status === 200, 'a closed one to leave room')
  for (const { request } of [...lines, over, other]) request.destroy()
})
