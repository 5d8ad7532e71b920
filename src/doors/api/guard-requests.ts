import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { textFault } from '../ui/text-fault.ts'

const twoYears = 63_072_000

/** Addresses have ids, hashes and what somebody searches for. */
const inAddresses = { place: 'identifier', hasLines: true, isCard: () => false } as const

/**
 * What every response carries, and what no request may: responses of the API are stored nowhere and read as nothing but what they
 * are; behind https browsers stay with https. A request with two `Host` headers could mean one host to a proxy and another to us;
 * characters that cannot be seen, and keys to coins, reach neither SQL nor a page.
 */
export function guardRequests(app: FastifyInstance, { http: { publicUrl } }: Pick<Ctx['config'], 'http'>): void {
  const isSecure = publicUrl?.startsWith('https://') ?? false
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (isSecure) reply.header('strict-transport-security', `max-age=${twoYears}`)
    if (request.url.startsWith('/v1'))
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    // The API itself says which field it is, and that an id is unknown.
    const fault = request.url.startsWith('/v1') ? undefined : textFault(decoded(request.url), inAddresses)
    if (fault) throw new Refusal('BAD_REQUEST', `The address: ${fault.message}`, [{ path: 'url', ...fault }])
    if (hasTwoHosts(request.raw.rawHeaders)) throw new Refusal('BAD_REQUEST', 'A request has one Host header.')
    done()
  })
}

/** An address as routes read it; one that cannot be decoded is refused by them. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return ''
  }
}

/** Whether a list of names and values, in turn, has more than one `Host`. */
const hasTwoHosts = (rawHeaders: readonly string[]): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1
