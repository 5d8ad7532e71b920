import type { onRequestHookHandler } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { clientAddress } from '../../platform/lib/client-address.ts'
import type { Query } from './query.ts'

/** The changelog's row that announced the end of the deprecated inputs (2026-09-25), as RFC 9745 writes a date. */
const deprecatedSince = '@1790294400'

/**
 * Makes the hook that tells a caller that it used what will go away one day: X-Forwarded-For or the `ip` of the query. It runs before
 * anything may be refused, so that every answer of the route says so: to a caller who is not let in, to one who asks too often, to a
 * body that cannot be read, and repeated answers.
 */
export function announceDeprecation(ctx: Pick<Ctx, 'config' | 'publicUrl'>): onRequestHookHandler {
  const trusted = ipBlocks(ctx.config.http.trustedProxies)
  return (request, reply, done) => {
    const { ip } = request.query as Query
    const isUsed =
      clientAddress(request.raw, trusted).forwarded.length > 0 || !(ip === undefined || ip === '' || ip === 'null')
    if (isUsed) {
      reply.headers({
        deprecation: deprecatedSince,
        link: `<${ctx.publicUrl}/#changes>; rel="deprecation"; type="text/html"`,
      })
    }
    done()
  }
}
