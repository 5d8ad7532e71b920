import { Agent, request } from 'node:http'

import { answerOrders } from './helper-process.ts'

/** A bare loop in its own process that posts a body over kept connections, and nothing else. */
export type PostsOrder = { url: string; bytes: number; connections: number; ms: number }

const agent = new Agent({ keepAlive: true })

function post(url: string, body: Buffer, number: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'webhook-id': `bare-${number}`,
    }
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.once('end', resolve)
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

answerOrders<PostsOrder, { count: number; ms: number }>(
  'delivery-posts.js',
  async ({ url, bytes, connections, ms }) => {
    const body = Buffer.alloc(bytes, 'x')
    const start = performance.now()
    let count = 0
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() - start < ms) {
          count += 1
          await post(url, body, count)
        }
      }),
    )
    return { count, ms: performance.now() - start }
  },
)
