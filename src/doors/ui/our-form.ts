import type { FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'

/**
 * Whether a form was sent by a page of ours. Browsers name the page's origin on every form post; where an old one does not,
 * `Sec-Fetch-Site` decides, and what names neither is no browser, and holds no customer's cookie. Where the
 * settings trust it, the host that was asked for is ours too: people write localhost where PUBLIC_URL says 127.0.0.1. A page that hides
 * its address from other sites (`referrer-policy: no-referrer`) makes browsers send `Origin: null`: then, too, `Sec-Fetch-Site` decides,
 * which no page can set. A foreign form is a security event of the request.
 */
export function isOurForm(ctx: Ctx, request: FastifyRequest): boolean {
  const isOurs = comesFromUs(ctx, request)
  if (!isOurs) request.securityEvent = 'refused_origin'
  return isOurs
}

function comesFromUs({ publicUrl, config }: Ctx, { headers }: FastifyRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin === 'null') return site === 'same-origin'
  if (origin === undefined) return site === undefined || site === 'same-origin' || site === 'none'
  return origin === publicUrl || (config.environment.trustsHostHeader && origin === `http://${host}`)
}
