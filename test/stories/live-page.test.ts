import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { create, pay, readyToPay } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

type Line = { next(): Promise<string | undefined>; close(): void }

/** A line as a browser keeps it open, on a connection of its own; `next` gives what is sent, undefined at its end. */
async function openLine(id: string): Promise<Line> {
  const request = get(`${exchange.url}/checkout/events?tid=${id}`, { agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(answer.headers['cache-control'], 'no-store')
  const sent = answer.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string, undefined>
  return {
    next: async () => (await sent.next()).value,
    close: () => void request.destroy(),
  }
}

test('a page that waits hears of every change of its order within seconds, and of no other order', async () => {
  const [{ id }, other] = [await readyToPay(exchange), await create(exchange)]
  const [line, quiet] = [await openLine(id), await openLine(other.id)]
  assert.equal(await line.next(), 'retry: 3000\n\n')
  assert.equal(await quiet.next(), 'retry: 3000\n\n')
  // The first look is what changes are told from.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const started = performance.now()
  await pay(exchange, id)
  assert.match((await line.next()) ?? '', /^event: changed\ndata:\n\n/)
  assert.ok(performance.now() - started < 4_000, 'it took more than four seconds')
  const unheard = quiet.next().catch(() => undefined)
  const heard = await Promise.race([unheard, new Promise((resolve) => setTimeout(resolve, 1_500))])
  assert.equal(heard, undefined)
  for (const one of [line, quiet]) one.close()
})

test('a line says nothing of the order, ends with the service, and there is none for what is no order’s number', async () => {
  for (const query of ['?tid=abc', '']) {
    const refused = await fetch(`${exchange.url}/checkout/events${query}`)
    assert.deepEqual([refused.status, await refused.text()], [404, ''])
  }
  const one = await startExchange()
  const { id } = await readyToPay(one)
  const answer = await fetch(`${one.url}/checkout/events?tid=${id}`)
  const whole = answer.text()
  const started = performance.now()
  await one.stop()
  assert.equal(await whole, 'retry: 3000\n\n')
  assert.ok(performance.now() - started < 5_000, 'an open page keeps nobody from stopping')
})
