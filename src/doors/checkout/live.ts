import type { ServerResponse } from 'node:http'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { type Changes, openChanges } from '../../exchange/transactions/changes.ts'
import { publicIdByLink } from '../../exchange/transactions/load.ts'
import { clientAddress, networkOf } from '../../platform/lib/client-address.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'

/** The most open streams per process, and of one network of them; further pages poll instead. */
const mostOpen = 2_000
const mostOfOne = 200
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
  const open = new Map<ServerResponse, string>()
  const trusted = ipBlocks(ctx.config.http.trustedProxies)
  app.addHook('preClose', (done) => {
    changes.close()
    for (const response of open.keys()) response.end()
    done()
  })
  app.get<{ Querystring: { tid?: unknown } }>('/checkout/events', async (request, reply) => {
    const { tid } = request.query
    const id = typeof tid === 'string' ? await publicIdByLink(ctx.db, tid) : undefined
    if (id === undefined || request.raw.destroyed) return reply.code(404).send()
    const network = networkOf(clientAddress(request.raw, trusted).connection)
    const own = [...open.values()].filter((one) => one === network).length
    if (open.size >= mostOpen || own >= mostOfOne) return reply.code(503).header('retry-after', '60').send()
    return follow(request, reply, { id, network, changes, open, headers })
  })
}

/** A stream of an order to one network. `open`: all that are open, and to which networks. */
type Stream = {
  id: bigint
  network: string
  changes: Changes
  open: Map<ServerResponse, string>
  headers: Record<string, string>
}

function follow(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, network, changes, open, headers }: Stream,
): FastifyReply {
  const response = reply.hijack().raw
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  response.write('retry: 3000\n\n')
  open.set(response, network)
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
