import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { after } from '../../platform/lib/clock.ts'

const dayMs = 86_400_000
/** RFC 9116 recommends less than a year. */
const validDays = 180

/**
 * `GET /.well-known/security.txt` (RFC 9116): where to report a vulnerability, which is the operator's support contact. 404 while the
 * settings name no company.
 */
export function securityTxt(app: FastifyInstance, ctx: Ctx): void {
  const { clock, config } = ctx
  const { company } = config
  if (!company) return
  const { support } = company
  const contact = support.includes('://') ? support : `mailto:${support}`
  app.get('/.well-known/security.txt', (_request, reply) => {
    const expires = new Date(after(clock.realNow(), validDays * dayMs).setUTCHours(0, 0, 0, 0))
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${ctx.publicUrl}/.well-known/security.txt`,
    ]
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
  })
}
