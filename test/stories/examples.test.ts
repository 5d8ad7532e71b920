import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { type ExampleRunner, exampleRunner } from '../support/examples.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, pay, readyToPay } from '../support/journey.ts'
import { projectFolder } from '../support/source.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let examples: ExampleRunner
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  examples = exampleRunner(exchange)
})
after(async () => {
  examples.stop()
  await exchange.stop()
})

/** Goes through the checkout of an order and pays, as a customer. */
async function payOrder(id: string): Promise<void> {
  await exchange.api(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
  await pay(exchange, id)
}

describe('the examples', () => {
  it('the shop: creates an order, sends the customer to the checkout, and follows it by verified webhooks', async () => {
    const shop = examples.run(process.execPath, [join(examples.installed('express-shop', ['express']), 'server.js')])
    const url = await shop.says(/(http:\/\/localhost:\d+)/)
    const added = await exchange.api('/v1/webhook-endpoints', { body: { url: `${url}/webhooks` } })
    assert.equal(added.status, 201)
    const bought = await fetch(`${url}/purchases`, { method: 'POST', redirect: 'manual' })
    assert.match(bought.headers.get('location') ?? '', /\/checkout\?tid=/)
    const purchases = async () =>
      Object.values(
        (await (await fetch(`${url}/purchases`)).json()) as Record<string, { status: string; orderId: string }>,
      )
    const [purchase] = await purchases()
    assert.ok(purchase)
    await payOrder(purchase.orderId)
    await until(async () => (await purchases())[0]?.status === 'finished', 'the shop to learn of the end')
    const forged = await fetch(`${url}/webhooks`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'webhook-timestamp': '1',
        'webhook-signature': 'v1,AAAA',
      },
      body: '{}',
    })
    assert.equal(forged.status, 400)
  })

  it('the endpoint in one file: runs on this version of Node, listens, and takes what is signed alone', async () => {
    const endpoint = examples.run(process.execPath, [join(projectFolder, 'docs/partner/samples/receive-webhooks.mjs')])
    const url = await endpoint.says(/(http:\/\/localhost:\d+\/)/)
    // The first endpoint has the secret that the program was started with.
    const { body: endpoints } = await exchange.api<{ data: { id: string }[] }>('/v1/webhook-endpoints')
    const changed = await exchange.api(`/v1/webhook-endpoints/${endpoints.data[0]?.id}`, {
      method: 'PATCH',
      body: { url },
    })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    // What sends events learns of the new address a moment later.
    const ids: string[] = []
    const isTold = (id: string) => endpoint.lines.includes(`transaction.status_changed ${id} finished`)
    await until(async () => ids.push((await buy(exchange)).id) > 0 && ids.some(isTold), 'the end of an order')
    const headers = { 'webhook-id': 'evt_1', 'webhook-signature': 'v1,AAAA' }
    for (const timestamp of ['1', String(Math.floor(Date.now() / 1_000))]) {
      const forged = { method: 'POST', headers: { ...headers, 'webhook-timestamp': timestamp }, body: '{}' }
      assert.equal((await fetch(url, forged)).status, 400)
    }
    assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 400)
  })

  it('the bot: orders, says where to pay, and follows the order to its end', async () => {
    await readyToPay(exchange)
    const bot = examples.run('python3', [join(projectFolder, 'examples/python-bot/bot.py'), '50', '--most-cost', '20'])
    const tid = await bot.says(/Pay at .*tid=(.+)$/)
    const { body } = await exchange.api<{ data: { id: string; redirect_url: string }[] }>('/v1/transactions')
    const order = body.data.find(({ redirect_url: url }) => url.endsWith(`tid=${tid}`))
    assert.ok(order)
    await payOrder(order.id)
    assert.equal(await bot.ended, 0)
    assert.equal(bot.lines.at(-1), 'finished')
  })

  it('the bot leaves an order that costs too much', async () => {
    const bot = examples.run('python3', [
      join(projectFolder, 'examples/python-bot/bot.py'),
      '50',
      '--most-cost',
      '0.01',
    ])
    assert.equal(await bot.ended, 1)
    assert.deepEqual(bot.lines.length, 1, 'the cost, and nowhere to pay')
    assert.match(bot.lines[0] ?? '', /total cost [\d.]+%$/)
  })
})
