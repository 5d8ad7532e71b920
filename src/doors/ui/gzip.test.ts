import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'

import fastify from 'fastify'

import { compressPages } from './gzip.ts'
import { serveFile } from './serve-file.ts'

const text = 'main{color:red}'.repeat(100)

describe('a file of a page', () => {
  const app = fastify()
  const path = serveFile(app, { name: 'some.css', text })

  it('is compressed for clients that accept gzip', async () => {
    for (const accepted of ['gzip', 'gzip, deflate, br, zstd', 'br;q=1.0, GZIP;q=0.8']) {
      const { headers, rawPayload } = await app.inject({ url: path, headers: { 'accept-encoding': accepted } })
      assert.equal(headers['content-encoding'], 'gzip', accepted)
      assert.equal(headers.vary, 'accept-encoding')
      assert.equal(gunzipSync(rawPayload).toString(), text)
    }
  })

  it('comes as it is to everybody else', async () => {
    for (const accepted of [undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.000, identity', 'x-not-gzip']) {
      const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
      const answer = await app.inject({ url: path, headers })
      assert.equal(answer.headers['content-encoding'], undefined, accepted)
      assert.equal(answer.headers.vary, 'accept-encoding')
      assert.equal(answer.body, text)
    }
  })

  it('has one path, derived from its content', () => {
    const app = fastify()
    assert.equal(serveFile(app, { name: 'some.css', text }), path)
    assert.equal(serveFile(app, { name: 'some.css', text }), path)
    assert.notEqual(serveFile(app, { name: 'some.css', text: `${text}a` }), path)
  })
})

describe('a page', () => {
  const html = '<!doctype html>'.repeat(100)
  const app = fastify()
  compressPages(app)
  app.get('/page', (_request, reply) => reply.type('text/html; charset=utf-8').send(html))
  app.get('/state', (_request, reply) => reply.send({ html }))

  it('is compressed for clients that accept it, and plain for all others', async () => {
    const packed = await app.inject({ url: '/page', headers: { 'accept-encoding': 'gzip' } })
    assert.deepEqual([packed.headers['content-encoding'], packed.headers.vary], ['gzip', 'accept-encoding'])
    assert.equal(packed.headers['content-length'], String(packed.rawPayload.length))
    assert.equal(gunzipSync(packed.rawPayload).toString(), html)
    const whole = await app.inject('/page')
    assert.deepEqual([whole.headers['content-encoding'], whole.headers.vary], [undefined, 'accept-encoding'])
    assert.equal(whole.body, html)
  })

  it('is all that is compressed', async () => {
    const { headers } = await app.inject({ url: '/state', headers: { 'accept-encoding': 'gzip' } })
    assert.equal(headers['content-encoding'], undefined)
  })
})
