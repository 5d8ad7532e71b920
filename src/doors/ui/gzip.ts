import { gzipSync } from 'node:zlib'

import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Whether a browser reads gzip: it is named, and not refused by a weight of nothing (RFC 9110, 12.5.3). */
export const readsGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  [headers['accept-encoding'] ?? '']
    .flat()
    .flatMap((line) => line.toLowerCase().split(','))
    .map((coding) => coding.split(';').map((part) => part.trim()))
    .some(([name, weight = '']) => name === 'gzip' && !/^q=0(\.0*)?$/.test(weight))

/**
 * Compresses the HTML that a scope answers: more than the first ten packets of a line cost a slow phone another round trip.
 * Only for pages where nobody else can place a text next to a secret, or the compressed length would reveal the secret
 * (CVE-2013-3587): forms from other sites are refused, and parameters take values from fixed lists.
 */
export function compressPages(scope: FastifyInstance): void {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    if (!isPage || typeof payload !== 'string') return done(null, payload)
    void reply.header('vary', 'accept-encoding')
    if (!readsGzip(request)) return done(null, payload)
    void reply.header('content-encoding', 'gzip')
    return done(null, gzipSync(payload))
  })
}
