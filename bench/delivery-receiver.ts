import { createServer } from 'node:http'

import { answerOrders } from './helper-process.ts'

/** Partners' endpoints in a process of their own: `/ok` takes everything, `/slow` after three seconds, `/hang` nothing. */
export type InboxOrder =
  | { kind: 'listen' }
  | { kind: 'forget' }
  /** Answered when so many different events have been taken since the last `forget`, or after `ms`. */
  | { kind: 'wait'; events: number; ms: number }

/** What was taken: when the first and the last new event came, and each one's time, by the wall clock in milliseconds. */
export type InboxDone = { origin: string; events: number; deliveries: number; at: [id: string, at: number][] }

const slowMs = 3_000
const seen = new Map<string, number>()
let deliveries = 0
let origin = ''
let check: (() => void) | undefined

const done = (): InboxDone => ({ origin, events: seen.size, deliveries, at: [...seen] })

const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    const path = request.url ?? ''
    if (path.startsWith('/hang')) return
    if (path.startsWith('/slow')) {
      setTimeout(() => response.writeHead(204).end(), slowMs)
      return
    }
    deliveries += 1
    const id = String(request.headers['webhook-id'])
    if (!seen.has(id)) seen.set(id, performance.timeOrigin + performance.now())
    response.writeHead(204).end()
    check?.()
  })
})
server.keepAliveTimeout = 60_000

answerOrders<InboxOrder, InboxDone>('delivery-receiver.js', async (order) => {
  switch (order.kind) {
    case 'listen':
      return new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => {
          const address = server.address()
          origin = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
          resolve(done())
        })
      })
    case 'forget':
      seen.clear()
      deliveries = 0
      return done()
    case 'wait':
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          check = undefined
          resolve(done())
        }
        const timer = setTimeout(end, order.ms)
        check = () => seen.size >= order.events && end()
        check()
      })
  }
})
