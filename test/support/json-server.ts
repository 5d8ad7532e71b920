import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** One request as the server got it. `path` includes the query. */
export type ServedRequest = {
  method: string
  path: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
}

/** What it answers: a value as JSON with status 200, or anything written by hand. Undefined is 404; `cut` ends the connection. */
export type Reply =
  | { json: unknown }
  | { status: number; headers?: Record<string, string>; text: string }
  | 'cut'
  | undefined

/** A provider's server on this machine. `misbehave` replaces its answers as long as it is set. */
export type JsonServer = {
  url: string
  seen: ServedRequest[]
  misbehave: ((response: ServerResponse, request: ServedRequest) => void) | undefined
  /** Stops listening and drops every connection; `start` listens on the same port again. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts a server that answers by `route`, on a free port of 127.0.0.1, and stops it with the test. */
export async function startJsonServer(
  t: Pick<TestContext, 'after'>,
  route: (request: ServedRequest) => Reply,
): Promise<JsonServer> {
  const http = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const path = incoming.url ?? '/'
      const request: ServedRequest = {
        method: incoming.method ?? 'GET',
        path,
        url: new URL(path, server.url),
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      }
      server.seen.push(request)
      if (server.misbehave) server.misbehave(response, request)
      else {
        const reply = route(request)
        if (reply === 'cut') response.destroy()
        else answer(response, reply)
      }
    })
  })
  let port = 0
  const server: JsonServer = {
    url: '',
    seen: [],
    misbehave: undefined,
    stop: async () => {
      if (!http.listening) return
      const closed = once(http, 'close')
      http.close()
      http.closeAllConnections()
      await closed
    },
    start: async () => {
      http.listen(port, '127.0.0.1')
      await once(http, 'listening')
      ;({ port } = http.address() as AddressInfo)
      server.url = `http://127.0.0.1:${port}`
    },
  }
  await server.start()
  t.after(() => server.stop())
  return server
}

function answer(response: ServerResponse, reply: Exclude<Reply, 'cut'>): void {
  if (!reply) response.writeHead(404).end()
  else if ('json' in reply)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply.json))
  else response.writeHead(reply.status, reply.headers).end(reply.text)
}
