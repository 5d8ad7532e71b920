import type { FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'

/**
 * Whether a form was sent by a page of ours. Browsers name the page's origin on every form post; where an old one does not,
 * `Sec-Fetch-Site` decides, and what names neither is no browser, and holds no customer's cookie. Where the
 * settings trust it, the host that was asked for is ours too: people write localhost where PUBLIC_URL says 127.0.0.1.
 */
export function isOurForm({ publicUrl, config, security }: Ctx, { headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOurs =
    origin === undefined
      ? site === undefined || site === 'same-origin' || site === 'none'
      : origin === publicUrl || (config.environment.trustsHostHeader && origin === `http://${host}`)
  if (!isOurs) security.record('refused_origin')
  return isOurs
}
