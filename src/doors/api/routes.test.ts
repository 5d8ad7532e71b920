import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { table } from '../../../test/support/table.ts'
import { type RefusalCode, refusals } from '../../platform/lib/refusal.ts'
import { buildApi } from './app.ts'
import { docUrlOf } from './errors.ts'

let api: TestApi
const faults: object[] = []

before(async () => {
  api = await openTestApi(
    {},
    {
      v1: [
        (app) => {
          app.get('/broken', { config: { access: 'anyone' } }, () => {
            throw new Error('customer a@example.com has a secret')
          })
          app.post('/sends', { config: { access: 'any-key' } }, (_request, reply) => reply.code(201).send({}))
          app.post('/promises', { config: { access: 'any-key', once: 'with-its-work' } }, () => ({}))
          app.get('/outage', { config: { access: 'anyone' } }, () => {
            throw Object.assign(new Error('terminating connection'), { code: '57P01' })
          })
        },
      ],
    },
  )
  api.ctx.log.error = (facts) => faults.push(facts)
  await api.app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => api.close())

/** Sends bytes as they are and gives all that comes back. */
function raw(bytes: string): Promise<string> {
  const address = api.app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(address.port, '127.0.0.1', () => socket.end(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (part) => (text += String(part)))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

const create = { method: 'POST', url: '/v1/transaction' } as const

describe('every answer that is not 2xx', () => {
  it('has the one shape, whatever was asked', async () => {
    const rows = table(`
      method  url                     status  code
      GET     /nothing                404     NOT_FOUND
      GET     /v1                     404     NOT_FOUND
      GET     /v1/                    404     NOT_FOUND
      GET     /v1/status//            404     NOT_FOUND
      PUT     /v1/status/             405     METHOD_NOT_ALLOWED
      GET     /v1//status             404     NOT_FOUND
      GET     /V1/status              404     NOT_FOUND
      GET     /v1/%zz                 404     NOT_FOUND
      GET     /v1/%00                 404     NOT_FOUND
      GET     /v1/transaction         405     METHOD_NOT_ALLOWED
      DELETE  /v1/transaction/1       405     METHOD_NOT_ALLOWED
      PUT     /v1/status              405     METHOD_NOT_ALLOWED
      PATCH   /                       405     METHOD_NOT_ALLOWED
      POST    /logos/btc.svg          405     METHOD_NOT_ALLOWED
      GET     /logos/none.svg         404     NOT_FOUND
      GET     /logos/..%2fpackage.json  404   NOT_FOUND
      GET     /v1/broken              500     INTERNAL_ERROR
      GET     /v1/outage              503     SERVICE_UNAVAILABLE
    `)
    for (const { method, url = '', status, code } of rows) {
      const answer = await api.ask({ method: method as 'GET', url })
      assert.deepEqual([String(answer.status), answer.code], [status, code], url)
      assert.deepEqual(offences('error', answer.body), [])
      assert.equal(typeof answer.body.message, 'string')
      assert.ok(Array.isArray(answer.body.errors))
      assert.equal(answer.body.statusCode, answer.status)
      assert.equal(answer.body.request_id, answer.headers['x-request-id'])
      assert.equal(answer.body.doc_url, docUrlOf(api.ctx, answer.code as RefusalCode))
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    }
  })

  it('each code leads to the section of the documentation that explains it', async () => {
    const { text } = await api.ask({ url: '/docs/errors' })
    for (const code of Object.keys(refusals) as RefusalCode[]) {
      const { pathname, hash } = new URL(docUrlOf({ publicUrl: 'https://exchange.example.com' }, code))
      assert.equal(pathname, '/docs/errors')
      assert.ok(text.includes(`id="${hash.slice(1)}"`), code)
    }
  })

  it('404 says where what older clients ask for is now', async () => {
    const answer = await api.app.inject('/v1/estimate/by-category?from_currency=EUR&to_currency=BTC')
    assert.equal(answer.statusCode, 404)
    assert.match(answer.json<{ message: string }>().message, /deposit_category/)
  })

  it('405 comes with Allow, and before the key, the size and the body are looked at', async () => {
    const answer = await api.ask({ method: 'PUT', url: '/v1/estimate', body: `"${'x'.repeat(300_000)}"` })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS, POST')
    assert.equal((await api.ask({ method: 'POST', url: '/v1/nothing', body: '{' })).status, 404)
  })

  it('500 says nothing of the fault, which the log has with the request id and the route, not the URL', async () => {
    faults.length = 0
    const answer = await api.ask({ url: '/v1/broken?email=b@example.com', headers: { 'x-request-id': 'my-request' } })
    assert.deepEqual([answer.status, answer.body.request_id], [500, 'my-request'])
    assert.ok(!answer.text.includes('example.com'))
    const [fault] = faults as { request_id: string; route: string }[]
    assert.deepEqual([fault?.request_id, fault?.route], ['my-request', '/v1/broken'])
    assert.ok(!JSON.stringify(faults).includes('b@example.com'))
  })

  it('400: what is not even HTTP', async () => {
    const answer = await raw('NONSENSE\r\n\r\n')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.deepEqual(offences('error', JSON.parse(body)), [])
    const overflow = await raw(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)
    assert.match(overflow, /"code":"BAD_REQUEST","message":"The headers are over/)
  })
})

describe('a route under /v1', () => {
  it('that does not say who may call it is not served at all', async () => {
    const deps = { accounts: api.accounts, workersAreUp: () => Promise.resolve(true) }
    const app = buildApi(api.ctx, { ...deps, v1: [(scope) => scope.get('/open', () => 'anything')] })
    await assert.rejects(async () => app.ready(), /\/v1\/open does not say who may call it/)
  })
})

describe('a POST under /v1', () => {
  it('that would not keep its answer for an Idempotency-Key never works, with a key or without', async () => {
    for (const [url, sentence] of [
      ['/v1/sends', /sends its answer by itself/],
      ['/v1/promises', /promises to keep its answer/],
    ] as const) {
      for (const headers of [{}, { 'idempotency-key': 'x' }]) {
        faults.length = 0
        const answer = await api.ask({ method: 'POST', url, key: api.all.secret_key, body: {}, headers })
        assert.equal(answer.status, 500, url)
        assert.match(String((faults[0] as { err: Error }).err), sentence)
      }
    }
  })
})

describe('a body', () => {
  const key = () => api.all.secret_key

  it('413 PAYLOAD_TOO_LARGE: over 256 KiB, whatever its type, by its length or as it comes', async () => {
    const large = `{"x": "${'y'.repeat(262_144)}"}`
    for (const type of ['application/json', 'text/plain', 'nonsense/nonsense']) {
      const answer = await api.ask({ ...create, key: key(), body: large, headers: { 'content-type': type } })
      assert.deepEqual([answer.status, answer.code], [413, 'PAYLOAD_TOO_LARGE'], type)
    }
    const chunk = 'y'.repeat(0x8000)
    const chunks = `8000\r\n${chunk}\r\n`.repeat(9)
    const head = `POST /v1/transaction HTTP/1.1\r\nhost: x\r\nx-api-key: ${key()}\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked`
    assert.match(await raw(`${head}\r\n\r\n${chunks}0\r\n\r\n`), /^HTTP\/1\.1 413 /)
  })

  it('is read up to just 256 KiB', async () => {
    const frame = JSON.stringify({ from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', x: '' })
    const body = frame.replace('""', `"${'y'.repeat(262_144 - frame.length)}"`)
    assert.equal(Buffer.byteLength(body), 262_144)
    assert.equal((await api.ask({ ...create, key: key(), body })).status, 201)
    assert.equal((await api.ask({ ...create, key: key(), body: `${body} ` })).status, 413)
  })

  it('415 UNSUPPORTED_MEDIA_TYPE: anything but JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'nonsense', '']) {
      const answer = await api.ask({ ...create, key: key(), body: '{}', headers: { 'content-type': type } })
      assert.deepEqual([answer.status, answer.code], [415, 'UNSUPPORTED_MEDIA_TYPE'], type)
    }
    const spelled = await api.ask({
      ...create,
      key: key(),
      body: '{}',
      headers: { 'content-type': 'Application/JSON; Charset=UTF-8' },
    })
    assert.equal(spelled.status, 400)
  })

  it('400 BAD_REQUEST: broken JSON, JSON that is no object, JSON without end', async () => {
    const wrong = [
      '{',
      '{"a": }',
      'nonsense',
      '{"a":1}x',
      "{'a':1}",
      '[]',
      '"x"',
      '7',
      'null',
      '['.repeat(10_000),
      '{"a": 1e}',
      '\u0000',
    ]
    for (const body of wrong) {
      const answer = await api.ask({ ...create, key: key(), body })
      assert.deepEqual([answer.status, answer.code], [400, 'BAD_REQUEST'], body.slice(0, 20))
    }
    assert.equal((await api.ask({ ...create, key: key() })).status, 400)
    assert.equal(
      (await api.ask({ ...create, key: key(), headers: { 'content-type': 'application/json' } })).status,
      400,
    )
  })

  it('401 INVALID_TOKEN: comes before all of that', async () => {
    assert.equal((await api.ask({ ...create, body: '{' })).status, 401)
    assert.equal((await api.ask({ ...create, body: `"${'x'.repeat(300_000)}"` })).status, 401)
  })
})

describe('a request id', () => {
  const idFor = async (given: string) =>
    (await api.ask({ url: '/v1/status', headers: { 'x-request-id': given } })).headers['x-request-id']

  it('is the caller’s own where it is sane, else one of ours, never the same twice', async () => {
    assert.equal(await idFor('abc-1.2:3_4'), 'abc-1.2:3_4')
    const made = [await idFor(''), await idFor('a b'), await idFor('x'.repeat(65)), await idFor('a@example.com')]
    for (const id of made) assert.match(String(id), /^[\w-]{10,}$/)
    assert.equal(new Set(made).size, made.length)
    assert.notEqual(await idFor('4242-4242-4242-4242'), '4242-4242-4242-4242')
  })
})

describe('GET /', () => {
  it('200: a page that leads on, and loads nothing from anywhere', async () => {
    const answer = await api.ask({ url: '/' })
    assert.equal(answer.status, 200)
    assert.match(answer.text, /href="\/v1\/currencies"/)
    assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'/)
    assert.ok(!/<script|https?:\/\/(?!localhost)/.test(answer.text))
  })
})

describe('GET /logos/{name}.svg', () => {
  it('200, then 304 for clients that have it already', async () => {
    const answer = await api.ask({ url: '/logos/btc.svg' })
    assert.equal(answer.headers['cache-control'], 'public, max-age=86400')
    const again = await api.ask({ url: '/logos/btc.svg', headers: { 'if-none-match': String(answer.headers.etag) } })
    assert.deepEqual([again.status, again.text], [304, ''])
  })
})
