import { createHash } from 'node:crypto'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../context.ts'
import type { DeclaredRoute } from './declared-route.ts'
import { openApiDocument } from './document.ts'
import { readExamples } from './examples.ts'
import { pagePolicy, referencePage } from './page.ts'

/**
 * `GET /openapi.json` and `GET /docs`: what the interface is, for programs and for people. Each is made when it is first asked
 * for, so that a service which nobody asks pays nothing, and kept from then on. `routes` may still grow until then.
 */
export function openApi(
  app: FastifyInstance,
  ctx: Pick<Ctx, 'config' | 'publicUrl'>,
  routes: readonly DeclaredRoute[],
): void {
  const document = () =>
    openApiDocument({
      routes,
      examples: readExamples(),
      publicUrl: ctx.publicUrl,
      isSandbox: ctx.config.mode === 'sandbox',
    })
  const json = madeOnce(() => JSON.stringify(document()))
  const page = madeOnce(() => referencePage(document()))

  app.get('/openapi.json', (request, reply) => {
    reply.header('access-control-allow-origin', '*').type('application/json; charset=utf-8')
    return sendKept(request, reply, json())
  })
  app.get('/docs', (request, reply) => {
    reply
      .headers({ 'content-security-policy': pagePolicy, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
    return sendKept(request, reply, page())
  })
}

type Kept = { text: string; etag: string }

function madeOnce(make: () => string): () => Kept {
  let kept: Kept | undefined
  return () => {
    if (kept) return kept
    const text = make()
    kept = { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
    return kept
  }
}

function sendKept(request: FastifyRequest, reply: FastifyReply, { text, etag }: Kept): FastifyReply {
  reply.headers({ etag, 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' })
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(text)
}
