import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createContext, runInContext } from 'node:vm'

import { build } from 'esbuild'

import { Cambio, CambioError, verify, WebhookError, type WebhookEvent } from '../../sdk/src/index.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy } from '../support/journey.ts'
import { projectFolder } from '../support/source.ts'

let exchange: Exchange
let cambio: Cambio
before(async () => {
  exchange = await startExchange()
  cambio = new Cambio({ apiKey: exchange.sandbox.secret_key, baseUrl: exchange.url })
})
after(() => exchange.stop())

/** A server that answers with these, one after the other, and the last one for good. */
async function answering(answers: [status: number, body: unknown, headers?: Record<string, string>][]) {
  const seen: { method: string | undefined; key: string | undefined }[] = []
  const server = createServer((request, response) => {
    seen.push({ method: request.method, key: request.headers['idempotency-key'] as string | undefined })
    const [status, body, headers = {}] = answers[Math.min(seen.length, answers.length) - 1] ?? assert.fail()
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: new Cambio({ baseUrl, apiKey: 'sk_test_x' }), seen, close: () => server.close() }
}

describe('the SDK', () => {
  it('has the types of openapi.yaml', async () => {
    const program = pathToFileURL(join(projectFolder, 'bin/build-sdk.js')).href
    const { schemaTypes } = (await import(program)) as { schemaTypes(): string }
    const written = readFileSync(join(projectFolder, 'sdk/src/schema.ts'), 'utf8')
    assert.equal(written, schemaTypes(), 'update it: npm run build:sdk -- --types')
  })

  it('reads prices, ranges, currencies and countries', async () => {
    const estimate = await cambio.estimate.get({ from_currency: 'EUR', to_currency: 'BTC', from_amount: 100 })
    assert.equal(estimate.from_currency, 'EUR')
    assert.ok((await cambio.ranges.get('EUR_BTC')).min > 0)
    assert.equal((await cambio.currencies.get('BTC')).ticker, 'BTC')
    assert.ok((await cambio.countries.list()).length > 100)
    assert.ok((await cambio.paymentCategories.list()).length > 5)
    assert.equal((await cambio.status.get()).available, true)
  })

  it('creates an order once for one idempotency key, reads it, and iterates over all pages', async () => {
    const order = { from_currency: 'EUR', to_currency: 'BTC', from_amount: '100' }
    const first = await cambio.transactions.create(order, { idempotencyKey: 'sdk-1' })
    const again = await cambio.transactions.create(order, { idempotencyKey: 'sdk-1' })
    assert.equal(again.id, first.id)
    assert.notEqual((await cambio.transactions.create(order)).id, first.id)
    await cambio.transactions.create(order)
    assert.equal((await cambio.transactions.get(first.id)).id, first.id)
    const page = await cambio.transactions.list({ limit: 2 })
    assert.deepEqual([page.data.length, page.pagination.has_more], [2, true])
    const ids = new Set<string>()
    for await (const { id } of cambio.transactions.list({ limit: 2 })) ids.add(id)
    assert.equal(ids.size, 3)
  })

  it('turns a refusal into an error with its code, its problems and the request id', async () => {
    const create = cambio.transactions.create({ from_currency: 'EUR', to_currency: 'NOSUCH', from_amount: '100' })
    await assert.rejects(create, (error) => {
      assert.ok(error instanceof CambioError)
      assert.equal(error.status, 400)
      assert.ok(error.errors.length > 0 && error.errors[0]?.path !== undefined)
      assert.match(error.requestId ?? '', /^[\w.:-]+$/)
      return true
    })
    const stranger = new Cambio({ apiKey: 'sk_test_wrong', baseUrl: exchange.url })
    await assert.rejects(stranger.transactions.get('123456789012345'), { status: 401, code: 'INVALID_TOKEN' })
    const nobody = new Cambio({ baseUrl: 'http://127.0.0.1:9', retries: 0 })
    await assert.rejects(nobody.status.get(), { status: 0, code: 'NETWORK' })
  })

  it('repeats what may be repeated, with the same idempotency key, and waits as long as it is asked', async () => {
    const { client, seen, close } = await answering([
      [503, { code: 'SERVICE_UNAVAILABLE', message: 'Later.' }, { 'retry-after': '0' }],
      [429, { code: 'RATE_LIMITED', message: 'Slower.' }, { 'retry-after': '0' }],
      [201, { id: '1' }],
    ])
    await client.transactions.create({ from_currency: 'EUR', to_currency: 'BTC', from_amount: '1' })
    assert.equal(seen.length, 3)
    assert.match(seen[0]?.key ?? '', /^[\w-]{36}$/)
    assert.equal(new Set(seen.map(({ key }) => key)).size, 1)
    close()
    const failing = await answering([[503, { code: 'SERVICE_UNAVAILABLE', message: 'Later.' }, { 'retry-after': '0' }]])
    await assert.rejects(failing.client.webhookEndpoints.update('1', { status: 'paused' }), { status: 503 })
    assert.equal(failing.seen.length, 1, 'a change without an answer is not repeated')
    failing.close()
    const refusing = await answering([[400, { code: 'BAD_REQUEST', message: 'No.' }]])
    await assert.rejects(refusing.client.estimate.get({ from_currency: 'EUR', to_currency: 'BTC' }), {
      code: 'BAD_REQUEST',
    })
    assert.equal(refusing.seen.length, 1)
    refusing.close()
  })

  it('streams events in their order until it is stopped', async () => {
    const { id } = await buy(exchange)
    const statuses: string[] = []
    for await (const event of cambio.events.stream()) {
      const payload = event.payload as { id: string; status?: string }
      if (payload.id === id && payload.status !== undefined) statuses.push(payload.status)
      if (statuses.at(-1) === 'finished') break
    }
    assert.equal(statuses[0], 'new')
    assert.equal(statuses.at(-1), 'finished')
  })

  it('signs requests as the exchange demands', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const texts: string[] = []
    const signing = new Cambio({
      apiKey: exchange.sandbox.secret_key,
      baseUrl: exchange.url,
      sign: (text) => {
        texts.push(text)
        return sign(null, Buffer.from(text), privateKey).toString('base64')
      },
    })
    await signing.transactions.list({ limit: 1 })
    assert.match(texts[0] ?? '', /^\d{10}\.GET\.\/v1\/transactions\?limit=1\.\.$/)
  })

  it('verifies webhooks, and refuses what is forged, changed or old', async () => {
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`
    const body = JSON.stringify({ id: 'evt_1', type: 'transaction.created', payload: { id: '1', note: 'ü' } })
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const mac = (text: string) =>
      `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
        .update(text)
        .digest('base64')}`
    const headers = {
      'Webhook-Id': 'evt_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,AAAA ${mac(`evt_1.${timestamp}.${body}`)}`,
    }
    assert.equal((await verify(secret, headers, body)).type, 'transaction.created')
    assert.equal(
      (await cambio.webhooks.verify(secret, new Headers(headers), new TextEncoder().encode(body))).id,
      'evt_1',
    )
    const bytes = new TextEncoder().encode(body)
    for (const raw of [Buffer.from(body), bytes, bytes.buffer, new DataView(bytes.buffer)])
      assert.equal((await verify(secret, headers, raw)).type, 'transaction.created')
    for (const parsed of [JSON.parse(body), undefined, null, 7] as string[])
      await assert.rejects(verify(secret, headers, parsed), /^WebhookError: Pass the body as it came.*express\.raw/)
    await assert.rejects(verify(secret, headers, `${body} `), WebhookError)
    await assert.rejects(verify(secret, { ...headers, 'webhook-signature': 'v1,AAAA' }, body), WebhookError)
    await assert.rejects(verify(secret, headers, body, { now: Date.now() + 301_000 }), WebhookError)
    await assert.rejects(verify(secret, { 'webhook-id': 'evt_1' }, body), WebhookError)
  })

  it('says what the payload is by the type of the event', () => {
    // It compiles only while event types narrow.
    const about = (event: WebhookEvent): string | null | undefined => {
      if (event.type === 'transaction.status_changed' && 'status' in event.payload) return event.payload.to_amount
      if (event.type === 'endpoint.failing' && 'url' in event.payload) return event.payload.url
      return undefined
    }
    const event = { type: 'endpoint.failing', payload: { id: '1', url: 'https://a.example/', status: 'failing' } }
    assert.equal(about(event as WebhookEvent), 'https://a.example/')
  })

  it('needs nothing that a worker lacks: it verifies and calls with the globals of the web alone', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "export * from './sdk/src/index.ts'", resolveDir: projectFolder },
      bundle: true,
      platform: 'neutral',
      format: 'iife',
      globalName: 'sdk',
      write: false,
      logLevel: 'silent',
    })
    const web = { fetch, crypto, URL, URLSearchParams, Headers, Response, TextEncoder, TextDecoder, atob, btoa, setTimeout, clearTimeout, AbortSignal, AbortController, Uint8Array, ArrayBuffer } // prettier-ignore
    const context = createContext({ ...web, baseUrl: exchange.url, apiKey: exchange.sandbox.secret_key })
    runInContext(outputFiles[0]?.text ?? '', context)
    const status: unknown = await runInContext(
      'new sdk.Cambio({ apiKey, baseUrl }).status.get().then(({ available }) => available)',
      context,
    )
    assert.equal(status, true)
    const [secret, body, timestamp] = ['whsec_c2VjcmV0', '{"id":"evt_1"}', String(Math.floor(Date.now() / 1_000))]
    const mac = createHmac('sha256', 'secret').update(`evt_1.${timestamp}.${body}`).digest('base64')
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
    Object.assign(context, { secret, headers, body })
    const id: unknown = await runInContext('sdk.verify(secret, headers, body).then(({ id }) => id)', context)
    assert.equal(id, 'evt_1')
  })

  it('is a package without dependencies whose main entry is under 10 kB', () => {
    const built = spawnSync(process.execPath, ['bin/build-sdk.js'], { cwd: projectFolder, encoding: 'utf8' })
    assert.equal(built.status, 0, built.stdout + built.stderr)
    const size = ['index', 'cambio', 'http', 'pages', 'error', 'webhooks']
      .map((name) => readFileSync(join(projectFolder, `sdk/dist/${name}.js`)))
      .reduce((sum, file) => sum + file.length, 0)
    assert.ok(size < 20_000, `${size} bytes before compression`)
    const manifest = JSON.parse(readFileSync(join(projectFolder, 'sdk/package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    assert.equal(manifest.dependencies, undefined)
  })
})
