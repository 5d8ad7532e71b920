import type { FastifyInstance, FastifyRequest } from 'fastify'

import { isExactNumber, parseJson } from '../lib/json.ts'
import { Refusal } from '../lib/refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came, for what is computed over its very bytes. `''` when there was none. */
    bodyText: string
  }
}

/**
 * Bodies are JSON with exact numbers (`parseJson`), an object or nothing. Anything else is read to its end, within the limit,
 * and refused with 415, so that a body that is too large is told so first.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('bodyText', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done) => {
      try {
        refuseOtherEncodings(request)
        const text = textOf(bytes)
        request.bodyText = text
        done(null, text === '' ? undefined : parseJson(text))
      } catch (error) {
        done(error as Error)
      }
    },
  )
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => {
    done(new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON, with content-type application/json.'))
  })
}

/** JSON is UTF-8 (RFC 8259); compressed bodies are not read. */
function refuseOtherEncodings({ headers }: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!/^utf-?8$/i.test(charset) || encoding.toLowerCase() !== 'identity') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8, not compressed.')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not UTF-8.')
  }
}

/** The body as an object; no body is an empty one. Refuses what is JSON and no object. */
export function bodyObject({ body }: Pick<FastifyRequest, 'body'>): Readonly<Record<string, unknown>> {
  if (body === undefined) return {}
  if (!isObject(body)) throw new Refusal('BAD_REQUEST', 'The body must be a JSON object.')
  return body
}

/** Whether a value that `parseJson` gave is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
