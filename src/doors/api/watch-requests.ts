import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { clientAddress, shortNetwork } from '../../platform/lib/client-address.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { noteRefusal } from '../ui/security-event.ts'

/**
 * Counts every answer by the pattern of its route and its status, and passes on security events of requests, whichever door noted
 * them. To be called before routes are added.
 */
export function watchRequests(app: FastifyInstance, { config, requests, security }: Ctx): void {
  const trusted = ipBlocks(config.http.trustedProxies)
  app.decorateRequest('securityEvent', undefined)
  app.addHook('onError', (request, _reply, error, done) => {
    noteRefusal(request, error)
    done()
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    // The pattern of the route, not its URL: ids and query values may be a person's.
    const { url: route = 'none' } = request.routeOptions
    requests.add(route, statusCode)
    if (request.securityEvent !== undefined) {
      security.record(request.securityEvent, {
        request_id: request.id,
        key_id: request.caller && String(request.caller.key.id),
        network: shortNetwork(clientAddress(request.raw, trusted).connection),
        route,
      })
    }
    done()
  })
}
