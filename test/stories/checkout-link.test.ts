import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, it } from 'node:test'

import { startExchange, type Exchange } from '../support/exchange.ts'
import { create, lookup, read } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

async function status(path: string): Promise<number | undefined> {
  const request = get(exchange.url + path, { agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  request.destroy()
  return answer.statusCode
}

const paths = (tid: string): string[] => [
  `/checkout?tid=${tid}`,
  `/de/checkout?tid=${tid}`,
  `/checkout/status?tid=${tid}`,
  `/checkout/events?tid=${tid}`,
]

it('a checkout link carries a random token, and the id opens nothing', async () => {
  const [one, other] = [await create(exchange), await create(exchange)]
  const tids = [one, other].map(({ redirect_url: url }) => new URL(url).searchParams.get('tid') ?? '')
  for (const tid of tids) assert.match(tid, /^[\w-]{24}$/)
  assert.notEqual(tids[0], tids[1])
  for (const { id } of [one, other]) assert.match(id, /^[1-9]\d{14}$/)

  assert.equal((await read(exchange, one.id)).redirect_url, one.redirect_url)
  for (const path of paths(tids[0] ?? '')) assert.equal(await status(path), 200, path)
  for (const path of [...paths(one.id), ...paths('x'.repeat(200))]) assert.equal(await status(path), 404, path)
  for (const path of paths('%00')) assert.equal(await status(path), 400, path)
})

it('a transaction that was created with a link by its id keeps that link', async () => {
  const { id } = await create(exchange)
  await lookup(exchange, 'update transactions set checkout_token = null where public_id = $1', [id])
  for (const path of paths(id)) assert.equal(await status(path), 200, path)
  assert.equal((await read(exchange, id)).redirect_url, `${exchange.url}/checkout?tid=${id}`)
})
