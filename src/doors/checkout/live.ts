import type { ServerResponse } from 'node:http'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { type Changes, openChanges } from '../../exchange/transactions/changes.ts'
import { publicIdByLink } from '../../exchange/transactions/load.ts'

/** The most open streams per process; further pages poll instead. */
const mostOpen = 2_000
/** How long a stream stays open at most, and how often a keep-alive is sent, in real milliseconds. */
const longestMs = 300_000
const beatMs = 20_000

/**
 * `/checkout/events?tid=`: server-sent events for a waiting page, one `changed` for each change of its order, and one soon after the
 * stream opens, for what happened before. They say only that something has changed; the page then requests what its browser may see.
 * A page without a stream polls.
 */
export function liveRoute(app: FastifyInstance, ctx: Ctx, headers: Record<string, string>): void {
  const changes = openChanges(ctx)
  const open = new Set<ServerResponse>()
  app.addHook('preClose', (done) => {
    changes.close()
    for (const response of open) response.end()
    done()
  })
  app.get<{ Querystring: { tid?: unknown } }>('/checkout/events', async (request, reply) => {
    const { tid } = request.query
    const id = typeof tid === 'string' ? await publicIdByLink(ctx.db, tid) : undefined
    if (id === undefined || request.raw.destroyed) return reply.code(404).send()
    if (open.size >= mostOpen) return reply.code(503).header('retry-after', '60').send()
    return follow(request, reply, { id, changes, open, headers })
  })
}

type Stream = { id: bigint; changes: Changes; open: Set<ServerResponse>; headers: Record<string, string> }

function follow(request: FastifyRequest, reply: FastifyReply, { id, changes, open, headers }: Stream): FastifyReply {
  const response = reply.hijack().raw
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  response.write('retry: 3000\n\n')
  open.add(response)
  const stop = changes.follow(id, () => response.write('event: changed\ndata:\n\n'))
  const beat = setInterval(() => response.write(':\n\n'), beatMs)
  const end = setTimeout(() => response.end(), longestMs)
  request.raw.on('close', () => {
    stop()
    clearInterval(beat)
    clearTimeout(end)
    open.delete(response)
    response.end()
  })
  return reply
}
