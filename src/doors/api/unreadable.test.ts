import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, it } from 'node:test'

import fastify, { type FastifyInstance } from 'fastify'

import { unreadableAnswers } from './unreadable.ts'

const timeoutMs = 300
let app: FastifyInstance

before(async () => {
  const unreadable = unreadableAnswers({ publicUrl: 'https://exchange.example' })
  app = fastify({
    requestTimeout: timeoutMs,
    http: { headersTimeout: timeoutMs, connectionsCheckingInterval: timeoutMs },
    clientErrorHandler: unreadable.answer,
  })
  unreadable.follow(app.server)
  app.post('/', (request) => request.body)
  app.post('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20 * timeoutMs))
    return 'slow'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => app.close())

const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n'

/** Sends these bytes as soon as the server has the connection, and keeps it busy for so long. Gives what came until the end. */
function exchanged(bytes: string, busyMs: number): Promise<string> {
  const address = app.server.address()
  assert(address !== null && typeof address === 'object')
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(address.port, '127.0.0.1')
    socket.setEncoding('utf8').on('data', (text) => (answer += String(text)))
    socket.once('error', reject).once('end', () => resolve(answer))
    app.server.once('connection', () => {
      socket.write(bytes)
      const over = performance.now() + busyMs
      while (performance.now() < over);
    })
  })
}

it('a request that came whole while the process was busy for longer than it may take is answered', async () => {
  assert.match(await exchanged(`${head}Connection: close\r\n\r\n{}`, 3 * timeoutMs), /^HTTP\/1\.1 200 [^]*\{\}$/)
})

it('408 REQUEST_TIMEOUT: one whose body is late, or the headers of the next one', async () => {
  assert.match(await exchanged(`${head}\r\n{`, 0), /^HTTP\/1\.1 408 [^]*"code":"REQUEST_TIMEOUT"/)
  assert.match(await exchanged(`${head}\r\n{}${head}`, 0), /^HTTP\/1\.1 200 [^]*\{\}HTTP\/1\.1 408 [^]*REQUEST_TIMEOUT/)
})

it('an answer that is still made comes alone, before the connection closes: late headers of the next request are not answered', async () => {
  const slow = head.replace('POST /', 'POST /slow')
  assert.match(await exchanged(`${slow}\r\n{}${head}`, 0), /^HTTP\/1\.1 200 [^]*slow$/)
})
