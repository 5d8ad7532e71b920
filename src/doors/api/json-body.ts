import type { FastifyInstance, FastifyRequest } from 'fastify'

import { isExactNumber, parseJson } from '../../platform/lib/json.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came, for what is computed over its very bytes; undefined when there was none. */
    bodyBytes: Buffer | undefined
    /** Why the body could not be read. Errors that rank before a 400 are reported first. */
    unreadable: Refusal | undefined
  }
}

/**
 * Bodies are JSON with exact numbers (`parseJson`), an object or nothing. Anything else is read to its end, within the limit,
 * and refused with 415, so that a body that is too large is refused for its size first. A malformed JSON body is left to
 * `refuseUnreadable`, because a reused Idempotency-Key is reported first.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('bodyBytes', undefined)
  app.decorateRequest('unreadable', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done) => {
      try {
        refuseOtherEncodings(request)
        request.bodyBytes = bytes
        done(null, readBody(request, bytes))
      } catch (error) {
        done(error as Error)
      }
    },
  )
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => {
    done(new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON, with content-type application/json.'))
  })
}

function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  try {
    const text = textOf(bytes)
    return text === '' ? undefined : parseJson(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    request.unreadable = error
    return undefined
  }
}

/** Refuses a body that could not be read. */
export function refuseUnreadable({ unreadable }: FastifyRequest): void {
  if (unreadable) throw unreadable
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
