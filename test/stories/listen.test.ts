import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { Webhook } from 'standardwebhooks'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'
import { projectFolder } from '../support/source.ts'
import { startReceiver, until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

/** Runs `cambio listen`, and ends it with the test. Gives what it has printed so far, and its exit code after a signal. */
function listening(args: string[], env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join(projectFolder, 'bin/cambio'), 'listen', ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    printed: () => printed,
    ended,
    end: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

describe('cambio listen', () => {
  it('delivers what happens to an address on this machine, signed, and ends when it is told to', async (t) => {
    const receiver = await startReceiver(t)
    let refusals = 1
    receiver.answer = (_request, response) => response.writeHead((refusals -= 1) >= 0 ? 500 : 204).end()
    await create(exchange)
    const { url, secret_key: key, webhook_secret: secret } = exchange.sandbox
    const env = { CAMBIO_URL: url, CAMBIO_SECRET_KEY: key, CAMBIO_WEBHOOK_SECRET: secret }
    const listener = listening(['--forward', receiver.url], env)
    const waits = () => exchange.service.composition.feedListeners.countOf(BigInt(exchange.sandbox.partner_id)) > 0
    await until(waits, 'a listener that waits')
    const { id } = await create(exchange)
    await receiver.got(2)
    for (const { body, headers, event } of receiver.all) {
      assert.equal(event.id, `evt_${id}000001`)
      new Webhook(secret).verify(body, headers as Record<string, string>)
    }
    const [page] = [await exchange.api<{ data: object[] }>('/v1/events')]
    assert.ok(
      page.body.data.some((event) => JSON.stringify(event) === receiver.all[1]?.body),
      'the feed’s own text',
    )
    assert.equal(await listener.end(), 0, listener.printed())
    assert.match(listener.printed(), new RegExp(`transaction.created evt_${id}000001 204 \\d+ ms`))
  })

  it('ends at once when it is told to, also while the program that it tells hangs', async (t) => {
    const receiver = await startReceiver(t)
    receiver.answer = () => undefined
    await create(exchange)
    const listener = listening(['--forward', receiver.url, '--after', 'beginning'], { DATA_DIR: exchange.dataDir })
    await receiver.got(1)
    const start = performance.now()
    assert.equal(await listener.end(), 0, listener.printed())
    assert.ok(performance.now() - start < promised(8_000), 'it waited for no answer')
    assert.equal(receiver.all.length, 1)
  })

  it('finds the sandbox that runs here, and begins where it is told to', async (t) => {
    const receiver = await startReceiver(t)
    const { id } = await create(exchange)
    const listener = listening(['--forward', receiver.url, '--after', 'beginning', '--types', 'transaction.created'], {
      DATA_DIR: exchange.dataDir,
    })
    await until(() => receiver.all.some(({ event }) => event.id === `evt_${id}000001`), 'the old event')
    assert.equal(await listener.end(), 0)
  })

  it('says in a sentence why it cannot', async () => {
    const { url } = exchange.sandbox
    const forward = ['--forward', 'http://127.0.0.1:9/']
    const refused = listening(forward, { CAMBIO_URL: url, CAMBIO_SECRET_KEY: `sk_test_${'x'.repeat(40)}` })
    assert.equal(await refused.ended, 1)
    assert.match(refused.printed(), /The exchange answered 401/)
    const nowhere = listening(forward, { DATA_DIR: '/nowhere' })
    assert.equal(await nowhere.ended, 1)
    assert.match(nowhere.printed(), /CAMBIO_SECRET_KEY/)
    assert.equal(await listening(['--forward', 'hook'], { DATA_DIR: '/nowhere' }).ended, 2)
  })
})
