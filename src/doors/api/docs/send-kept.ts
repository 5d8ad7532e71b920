import { createHash } from 'node:crypto'

import type { FastifyReply, FastifyRequest } from 'fastify'

/** A text that does not change, with its ETag. */
export type CachedText = { text: string; etag: string }

export const keep = (text: string): CachedText => ({
  text,
  etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
})

/** Our own files, calls of our own interface, and the search: nothing from anywhere else. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const safeHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Makes a text when it is first asked for: a service that nobody asks pays nothing. */
export function madeOnce(make: () => string): () => CachedText {
  let kept: CachedText | undefined
  return () => (kept ??= keep(make()))
}

/** Sends what was made for this request. */
export const sendFresh = (reply: FastifyReply, text: string): FastifyReply =>
  reply.headers({ ...safeHeaders, 'cache-control': 'no-store' }).send(text)

/** Sends what was made, or that it is still the same. */
export function sendKept(request: FastifyRequest, reply: FastifyReply, { text, etag }: CachedText): FastifyReply {
  reply.headers({ ...safeHeaders, etag, 'cache-control': 'public, max-age=300' })
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(text)
}
