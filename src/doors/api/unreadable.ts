import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal, type RefusalCode, refusals } from '../../platform/lib/refusal.ts'
import { bodyOf } from './errors.ts'
import { madeRequestId } from './request-id.ts'

/** What the framework calls for what could not even be read as HTTP: it is answered in the same shape, and the connection closes. */
export function unreadableAnswers(ctx: Pick<Ctx, 'publicUrl'>): {
  follow(server: Server): void
  answer(error: Error & { code?: string }, socket: Socket): void
} {
  const latest = new WeakMap<Socket, Exchanged>()
  return {
    follow: (server) =>
      void server.on('request', (request, response) => latest.set(request.socket, { request, response })),
    answer: (error, socket) => {
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return answerOne(ctx, error, socket)
      const before = latest.get(socket)
      const wasWhole = before?.request.complete === true
      // A process that was busy for longer than a request may take finds it late before it has read what came meanwhile. It reads
      // that now, and once more what a client sent in answer.
      const look = (): void => {
        const isLate = wasWhole || before?.request.complete !== true
        // A request that has begun meanwhile has its own time.
        if (!isLate || latest.get(socket) !== before) return
        if (before && !wasWhole && before.response.headersSent) socket.destroySoon()
        else if (before && wasWhole && !before.response.writableFinished)
          before.response.once('finish', () => socket.destroySoon())
        else answerOne(ctx, error, socket)
      }
      setTimeout(() => setImmediate(look), graceMs)
    },
  }
}

/** A request whose headers have come, and its answer. */
type Exchanged = { request: IncomingMessage; response: ServerResponse }

/** How long a late request may still come whole, in real milliseconds. */
const graceMs = 500

function answerOne(ctx: Pick<Ctx, 'publicUrl'>, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { code, message, reason } = unreadableAs(error.code)
  const id = madeRequestId()
  const body = bodyOf(ctx, new Refusal(code, message), id)
  const head = [
    `HTTP/1.1 ${refusals[code]} ${reason}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // A client that does not close its side would keep the socket for ever.
  socket.destroySoon()
}

function unreadableAs(code = ''): { code: RefusalCode; message: string; reason: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'REQUEST_TIMEOUT', message: 'The request took too long to arrive.', reason: 'Request Timeout' }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'BAD_REQUEST', message: `The headers are over ${maxHeaderSize} bytes.`, reason: 'Bad Request' }
    default:
      return { code: 'BAD_REQUEST', message: 'This is not an HTTP request.', reason: 'Bad Request' }
  }
}
