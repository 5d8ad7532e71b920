import type { FastifyInstance } from 'fastify'

/** An API call that was answered. `route` is the path's pattern, so that it names no order and no person. */
export type RecentCall = { method: string; route: string; status: number; at: Date }

const kept = 20

/**
 * Remembers the last API calls of one partner that this process has answered, the latest first. Covers the routes that are
 * registered after it.
 */
export function rememberCalls(
  app: FastifyInstance,
  partnerId: () => bigint | undefined,
  now: () => Date,
): RecentCall[] {
  const calls: RecentCall[] = []
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, caller } = request
    const route = routeOptions.url
    if (route !== undefined && caller !== undefined && caller.partner.id === partnerId()) {
      calls.unshift({ method, route, status: reply.statusCode, at: now() })
      calls.splice(kept)
    }
    done()
  })
  return calls
}
