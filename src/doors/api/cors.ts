import type { FastifyReply } from 'fastify'

/**
 * A browser may call whatever a public key may do, from any page. The secret key's header is never among those that a
 * page may send, and no cookie of ours is ever involved.
 */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*')
}

/** Lets a page's script read our response headers, on errors and on creates. */
export function exposeHeaders(reply: FastifyReply): void {
  reply.header('access-control-expose-headers', exposed)
}

const exposed =
  'x-request-id, idempotency-replayed, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, deprecation, link'

/** Answers a browser's question before a call that it would not make unasked. `methods` are those of the address. */
export const answerPreflight = (reply: FastifyReply, methods: readonly string[]): FastifyReply =>
  reply
    .code(204)
    .headers({
      allow: methods.join(', '),
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'x-api-key, content-type, accept, idempotency-key, x-request-id, x-sign-id',
      'access-control-max-age': '86400',
    })
    .send()
