import { createServer } from 'node:http'

import { answerOrders } from './helper-process.ts'

/** The limit for estimates: a bare `node:http` server that answers everything with the same bytes. */
export type ServerOrder = { headers: [name: string, value: string][]; body: string }

let answer: ServerOrder = { headers: [], body: '' }

const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers.flat()).end(answer.body)
})
server.keepAliveTimeout = 60_000

answerOrders<ServerOrder, { origin: string }>('plain-server.js', (order) => {
  answer = order
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({ origin: `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}` })
    })
  })
})
