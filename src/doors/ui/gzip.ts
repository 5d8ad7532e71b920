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
 * Only for pages on which nobody else can have a text of theirs shown beside what is secret, or its length would tell of it
 * (CVE-2013-3587): a form of another site is refused, and an address has its words from a list.
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
