import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'

import { makeSelfSigned } from '../../../test/support/self-signed.ts'
import { startReceiver } from '../../../test/support/telling.ts'
import type { LookUp } from '../../platform/lib/http.ts'
import { type ConnectionPool, openConnectionPool } from './connection-pool.ts'
import { promised } from '../../../test/support/promised.ts'

const reach = { loopback: true }

describe('an attempt to deliver', () => {
  it('is taken by any 2xx, and reuses its connection', async (t) => {
    const receiver = await startReceiver(t)
    const sockets = new Set<Socket>()
    receiver.answer = (request, response) => {
      sockets.add(request.socket)
      response.writeHead(202, { 'content-type': 'text/plain' }).end('thank you')
    }
    const pool = poolTo(t, receiver.url)
    for (let round = 0; round < 5; round += 1) {
      const { outcome, status, response } = await post(pool)
      assert.deepEqual({ outcome, status, response }, { outcome: 'delivered', status: 202, response: 'thank you' })
    }
    assert.equal(sockets.size, 1)
    assert.equal(receiver.all[0]?.path, '/hook')
    assert.equal(receiver.all[0]?.body, '{}')
  })

  it('is classified by its answer', async (t) => {
    const receiver = await startReceiver(t)
    const pool = poolTo(t, receiver.url)
    for (const [status, outcome] of [
      [200, 'delivered'],
      [299, 'delivered'],
      [301, 'redirected'],
      [307, 'redirected'],
      [400, 'rejected'],
      [410, 'gone'],
      [500, 'rejected'],
    ] as const) {
      receiver.answer = (_request, response) => response.writeHead(status, { location: receiver.url }).end()
      assert.equal((await post(pool)).outcome, outcome, String(status))
    }
    assert.equal(receiver.all.length, 7, 'no redirect was followed')
  })

  it('reads when to come back, in seconds and as a date', async (t) => {
    const receiver = await startReceiver(t)
    const pool = poolTo(t, receiver.url)
    for (const [header, seconds] of [
      ['120', 120],
      ['9999999999', 3_153_600_000],
      ['9'.repeat(400), 3_153_600_000],
      ['Fri, 01 Jan 2027 00:02:00 GMT', 120],
      ['Thu, 31 Dec 2026 00:00:00 GMT', undefined],
      ['soon', undefined],
      ['-5', undefined],
    ] as const) {
      receiver.answer = (_request, response) =>
        response.writeHead(503, { date: 'Fri, 01 Jan 2027 00:00:00 GMT', 'retry-after': header }).end()
      assert.equal((await post(pool)).retryAfterSeconds, seconds, header)
    }
  })

  it('reads a date by our own clock where the answer does not say what time it is', async (t) => {
    const receiver = await startReceiver(t)
    const clock = { realNow: () => new Date('2027-01-01T00:00:00Z') }
    const pool = openConnectionPool(receiver.url, { reach, timeoutMs: 2_000, clock })
    t.after(() => pool.close())
    receiver.answer = (_request, response) => {
      response.sendDate = false
      response.writeHead(503, { 'retry-after': 'Fri, 01 Jan 2027 00:02:00 GMT' }).end()
    }
    assert.equal((await post(pool)).retryAfterSeconds, 120)
  })

  it('ends in time when the endpoint hangs, before or within its answer’s head', async (t) => {
    const hanging = await startServer(t, () => undefined)
    const { outcome, tookMs } = await post(poolTo(t, hanging, 100))
    assert.equal(outcome, 'timed_out')
    assert(tookMs >= 95 && tookMs < promised(2_000), `took ${tookMs} ms`)

    const dripping = await startServer(t, (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-a: '))
    assert.equal((await post(poolTo(t, dripping, 100))).outcome, 'timed_out')
  })

  it('is not timed out for time in which this process was stopped', async (t) => {
    const receiver = await startReceiver(t)
    const pool = poolTo(t, receiver.url, 100)
    await post(pool)
    const answered = post(pool)
    const stillUntil = performance.now() + 400
    while (performance.now() < stillUntil);
    assert.equal((await answered).outcome, 'delivered')
  })

  it('is taken when a 2xx came, however long or slow the rest is', async (t) => {
    const dripping = await startServer(t, (socket) =>
      drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n'),
    )
    assert.equal((await post(poolTo(t, dripping, 100))).outcome, 'delivered')

    let sent = 0
    const endless = await startServer(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(16_384, 'x'))) sent += 16_384
      }
      socket.on('drain', more)
      more()
    })
    const { outcome, response } = await post(poolTo(t, endless))
    assert.equal(outcome, 'delivered')
    assert.equal(response.length, 1_024)
    assert(sent < 20_000_000, `${sent} bytes were taken`)

    const broken = await startServer(t, (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
    assert.equal((await post(poolTo(t, broken))).outcome, 'delivered')
  })

  it('has a code for why there was no answer', async (t) => {
    const closing = await startServer(t, (socket) => socket.destroy())
    assert.equal((await post(poolTo(t, closing))).outcome, 'connection_closed')

    const babbling = await startServer(t, (socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'))
    assert.equal((await post(poolTo(t, babbling))).outcome, 'not_http')
    assert.equal((await post(poolTo(t, babbling.replace('http:', 'https:')))).outcome, 'tls_failed')

    const port = new URL(closing).port
    const unknown: LookUp = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))
    const nobody: LookUp = () => Promise.resolve([])
    assert.equal((await post(poolTo(t, `http://nowhere.example:${port}/`, 500, unknown))).outcome, 'name_not_resolved')
    assert.equal((await post(poolTo(t, `http://nowhere.example:${port}/`, 500, nobody))).outcome, 'name_not_resolved')

    const gone = await startServer(t, (socket) => socket.destroy())
    await closed.get(gone)?.()
    assert.equal((await post(poolTo(t, gone))).outcome, 'connection_refused')
  })

  it('tells nothing to an https endpoint that cannot prove who it is', async (t) => {
    let requests = 0
    const server = createSecureServer(makeSelfSigned('hooks.example'), (_request, response) => {
      requests += 1
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const lookUp: LookUp = () => Promise.resolve(['127.0.0.1'])
    const pool = poolTo(t, `https://hooks.example:${port}/hook`, 2_000, lookUp)
    assert.equal((await post(pool)).outcome, 'tls_failed')
    assert.equal(requests, 0)
  })

  it('waits only so long for a connection, however long an answer may take', async (t) => {
    const url = await startDeafServer(t)
    const pool = openConnectionPool(url, { reach, timeoutMs: 60_000, connectTimeoutMs: 100 })
    t.after(() => pool.close())
    assert.equal((await post(pool)).outcome, 'connect_timed_out')
  })

  it('is made again at once when the endpoint had just closed the kept connection', async (t) => {
    let connections = 0
    let requests = 0
    const url = await startServer(t, (socket) => {
      connections += 1
      let answered = 0
      socket.on('data', () => {
        requests += 1
        // Keeps the connection after an answer, and drops it when it is used again.
        if (answered > 0) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        answered += 1
      })
    })
    const pool = poolTo(t, url)
    assert.equal((await post(pool)).outcome, 'delivered')
    assert.equal((await post(pool)).outcome, 'delivered')
    assert.deepEqual({ connections, requests }, { connections: 2, requests: 3 })
  })
})

describe('what is called', () => {
  it('is never an address inside, whatever name led there and however it is spelt', async (t) => {
    const receiver = await startReceiver(t)
    const port = String(receiver.port)
    const strict = { loopback: false }
    const hosts = '127.0.0.1 2130706433 0x7f000001 0177.0.0.1 127.1 0.0.0.0 [::1] [::ffff:127.0.0.1] localhost'
    for (const host of hosts.split(' ')) {
      const pool = openConnectionPool(`http://${host}:${port}/hook`, { reach: strict, timeoutMs: 1_000 })
      t.after(() => pool.close())
      assert.equal((await post(pool)).outcome, 'address_refused', host)
    }
    const inside: LookUp = () => Promise.resolve(['192.168.0.1'])
    const secure = openConnectionPool('https://hooks.example.com/hook', {
      reach: strict,
      timeoutMs: 1_000,
      lookUp: inside,
    })
    t.after(() => secure.close())
    assert.equal((await post(secure)).outcome, 'address_refused')
    for (const addresses of [
      ['127.0.0.1'],
      ['93.184.216.34', '127.0.0.1'],
      ['10.1.2.3'],
      ['::ffff:127.0.0.1'],
      ['169.254.169.254'],
    ]) {
      const lookUp = () => Promise.resolve(addresses)
      const pool = openConnectionPool(`http://hooks.example.com:${port}/hook`, {
        reach: strict,
        timeoutMs: 1_000,
        lookUp,
      })
      t.after(() => pool.close())
      assert.equal((await post(pool)).outcome, 'address_refused', addresses.join())
    }
    assert.equal(receiver.all.length, 0)
  })

  it('is what was checked, also when a name changes its mind', async (t) => {
    const receiver = await startReceiver(t)
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']]
    let asked = 0
    const lookUp: LookUp = () => {
      asked += 1
      return Promise.resolve(answers[asked - 1] ?? ['10.0.0.1'])
    }
    receiver.answer = (_request, response) => response.writeHead(200, { connection: 'close' }).end()
    const pool = poolTo(t, `http://rebinding.example:${receiver.port}/hook`, 1_000, lookUp)
    assert.equal((await post(pool)).outcome, 'delivered')
    assert.equal((await post(pool)).outcome, 'address_refused')
    assert.equal((await post(pool)).outcome, 'delivered')
    assert.equal(asked, 3, 'one look-up for each connection: what was checked was called')
  })
})

const post = (pool: ConnectionPool) => pool.post('{}', { 'content-type': 'application/json' })

function poolTo(t: TestContext, url: string, timeoutMs = 2_000, lookUp?: LookUp): ConnectionPool {
  const pool = openConnectionPool(url, { reach, timeoutMs, lookUp })
  t.after(() => pool.close())
  return pool
}

const closed = new Map<string, () => Promise<void>>()

/** A server that does with connections what a test wants; ends with the test. */
async function startServer(t: TestContext, onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  closed.set(url, close)
  t.after(close)
  return url
}

/** A server in a process that is stopped, with as many connections waiting for it as its system keeps. */
async function startDeafServer(t: TestContext): Promise<string> {
  const program = `
    require('node:net').createServer().listen(0, '127.0.0.1', 1, function () {
      require('node:fs').writeSync(1, String(this.address().port))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  for (let waiting = 0; waiting < 2; waiting += 1) {
    const socket = connect(Number.parseInt(port.toString(), 10), '127.0.0.1')
    t.after(() => socket.destroy())
    await once(socket, 'connect')
  }
  return `http://127.0.0.1:${port.toString()}/hook`
}

/** Writes a beginning, and then a byte every few milliseconds. */
function drip(socket: Socket, beginning: string): void {
  socket.write(beginning)
  const timer = setInterval(() => socket.write('x'), 10)
  socket.on('close', () => clearInterval(timer))
}
