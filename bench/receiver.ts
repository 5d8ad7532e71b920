import { createServer } from 'node:http'

import { answerOrders } from './helper-process.ts'

/** A partner's endpoint in its own process: it takes everything, and knows when it had how many different events. */
export type ReceiverOrder =
  | { kind: 'listen' }
  | { kind: 'forget' }
  /** Answered when so many different events have come since the last `forget`, or after `ms`. */
  | { kind: 'wait'; events: number; ms: number }
  /** Answered when an event has come whose text holds `text`. */
  | { kind: 'watch'; text: string; ms: number }

/** `at` is when the last new event came, by the wall clock, with fractions of a millisecond. */
export type ReceiverDone = { url: string; events: number; deliveries: number; at: number }

const seen = new Set<string>()
let deliveries = 0
let at = 0
let url = ''
let check: ((text: string) => void) | undefined

const wallNow = (): number => performance.timeOrigin + performance.now()
const state = (): ReceiverDone => ({ url, events: seen.size, deliveries, at })

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    deliveries += 1
    seen.add(String(request.headers['webhook-id']))
    at = wallNow()
    response.writeHead(204).end()
    check?.(check.length > 0 ? Buffer.concat(chunks).toString('utf8') : '')
  })
})
server.keepAliveTimeout = 60_000

function listen(): Promise<ReceiverDone> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      url = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}/`
      resolve(state())
    })
  })
}

function until(isOver: (text: string) => boolean, ms: number): Promise<ReceiverDone> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      check = undefined
      reject(new Error(`Events are missing: ${JSON.stringify(state())}`))
    }, ms)
    check = (text) => {
      if (!isOver(text)) return
      clearTimeout(timer)
      check = undefined
      resolve(state())
    }
    check('')
  })
}

answerOrders<ReceiverOrder, ReceiverDone>('receiver.js', async (order) => {
  switch (order.kind) {
    case 'listen':
      return listen()
    case 'forget':
      seen.clear()
      deliveries = 0
      return state()
    case 'wait':
      return until(() => seen.size >= order.events, order.ms)
    case 'watch':
      return until((text) => text.includes(order.text), order.ms)
  }
})
