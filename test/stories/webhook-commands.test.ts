import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { startReceiver, until } from '../support/telling.ts'

type Endpoint = { id: string; status: string; waiting: number; last_attempt: { outcome: string } | null }
type Attempt = {
  event_id: string
  type: string
  attempt: number
  outcome: string
  status: number | null
  took_ms: number
  next_attempt_at: string | null
  request?: { url: string; body: string }
  response?: string | null
}

let exchange: Exchange
let told: CommandLine['told']
let cambio: CommandLine['cambio']
before(async () => {
  // No attempt comes by itself while commands take their time.
  exchange = await startExchange({ WEBHOOK_RETRY_SECONDS: '3600' })
  ;({ told, cambio } = commandLineOf(exchange))
})
after(() => exchange.stop())

describe('on the command line, an endpoint’s', () => {
  it('test is sent, its attempts are seen whole, and it is sent again by event and by time', async (t) => {
    const receiver = await startReceiver(t)
    receiver.answer = (_request, response) => response.writeHead(503).end('closed for lunch')
    const since = exchange.service.composition.ctx.clock.now().toISOString()
    const wishes = ['--partner', exchange.sandbox.partner_id, '--types', 'endpoint.test']
    const { id } = await told<Endpoint>('webhook', 'add', receiver.url, ...wishes)
    const { event_id: event } = await told<{ event_id: string }>('webhook', 'test', id)
    const attempts = (...more: string[]) => told<Attempt[]>('webhook', 'attempts', id, ...more)
    await until(async () => (await attempts()).length === 1, 'the first attempt')
    const [first] = await attempts('--event', event, '--outcome', 'failed')
    assert.deepEqual(
      [first?.event_id, first?.type, first?.attempt, first?.outcome, first?.status, first?.response],
      [event, 'endpoint.test', 1, 'rejected', 503, 'closed for lunch'],
    )
    assert.deepEqual([first?.request?.url, first?.request?.body], [receiver.url, receiver.all[0]?.body])
    assert.ok(first && first.took_ms >= 0 && first.next_attempt_at)
    const { waiting, last_attempt: last } = await told<Endpoint>('webhook', 'show', id)
    assert.deepEqual([waiting, last?.outcome], [1, 'rejected'])

    receiver.answer = (_request, response) => response.writeHead(200).end()
    await told('webhook', 'replay', id, '--event', event)
    await until(async () => (await attempts('--outcome', 'delivered')).length === 1, 'its delivery')
    await told('webhook', 'replay', id, '--since', since)
    await until(async () => (await attempts('--outcome', 'delivered')).length === 2, 'everything since')
    assert.deepEqual(
      (await attempts('--body', 'off')).map(({ attempt, request }) => [attempt, request]),
      [
        [3, undefined],
        [2, undefined],
        [1, undefined],
      ],
    )
    assert.deepEqual(new Set(receiver.all.map(({ event: { id: one } }) => one)), new Set([event]))
    assert.equal((await told<Endpoint>('webhook', 'show', id)).waiting, 0)
  })

  it('replay says what it is to send, or nothing happens', async () => {
    const both = ['--event', 'evt_1000001', '--since', '2027-01-31']
    for (const named of [[], both]) {
      const { exitCode, out } = await cambio('webhook', 'replay', '1', ...named)
      assert.deepEqual([exitCode, out], [2, ''], named.join(' '))
    }
  })
})
