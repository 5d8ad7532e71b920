import { createHash } from 'node:crypto'

import type { FastifyInstance } from 'fastify'

import { drawings } from '../../reference/catalog/drawing.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

/** A drawing brings its own style, and may do nothing else. */
const policy = "default-src 'none'; style-src 'unsafe-inline'"

/** `GET /logos/{name}.svg`: the drawings that currency records point to. A drawing may be cached for a day. */
export async function logos(app: FastifyInstance): Promise<void> {
  const files = new Map([...drawings].map(([name, text]) => [`${name}.svg`, { text, etag: tagOf(text) }]))

  app.get('/logos/:name', (request, reply) => {
    const file = files.get((request.params as { name: string }).name)
    if (!file) throw new Refusal('NOT_FOUND', 'There is no such drawing.')

    reply.headers({
      etag: file.etag,
      'cache-control': 'public, max-age=86400',
      'access-control-allow-origin': '*',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    })
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
    return reply.type('image/svg+xml; charset=utf-8').send(file.text)
  })
}

const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
