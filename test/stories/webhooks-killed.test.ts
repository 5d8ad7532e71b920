import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { runCommand } from '../support/command.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { startReceiver, until } from '../support/telling.ts'

let exchange: ServedExchange
before(async () => {
  exchange = await serveExchange({ JOB_LEASE: 'PT1S' })
})
after(() => exchange.remove())

test('kill -9 in the middle of a burst of webhooks loses none, and what comes twice has the same id and text', async (t) => {
  const receiver = await startReceiver(t)
  const added = await runCommand(
    ['webhook', 'add', receiver.url, '--partner', exchange.sandbox.partner_id],
    exchange.env,
  )
  assert.equal(added.exitCode, 0, added.err)
  receiver.answer = (_request, response) => setTimeout(() => response.writeHead(204).end(), 10)

  const wanted: string[] = []
  for (let kill = 1; kill <= 2; kill += 1) {
    const had = receiver.all.length
    const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
    const creates = Array.from({ length: 60 }, async () => {
      const { status, body: made } = await exchange.api<TransactionRecord>('/v1/transaction', { body })
      if (status === 201) wanted.push(`evt_${made.id}000001`)
    })
    const isBurst = () => receiver.all.length >= had + 10 && wanted.length > 10 * kill
    const killed = until(isBurst, 'a burst').then(() => exchange.kill('SIGKILL'))
    // Who was not answered does not know whether there is a transaction: only what was acknowledged is asked for.
    await Promise.allSettled([...creates, killed])
    await exchange.start()
  }
  const ids = () => new Set(receiver.all.map(({ headers }) => String(headers['webhook-id'])))
  await until(() => wanted.every((id) => ids().has(id)), `all of ${wanted.length} events`)
  assert.ok(wanted.length > 20)

  const texts = new Map<string, string>()
  for (const { headers, body, event } of receiver.all) {
    const id = String(headers['webhook-id'])
    assert.equal(event.id, id)
    assert.equal(texts.get(id) ?? body, body)
    texts.set(id, body)
  }
})
