import type { FastifyReply, FastifyRequest } from 'fastify'

import { codeOf } from '../../platform/db/pool.ts'
import type { Ctx } from '../../exchange/context.ts'
import { namedProblem, Refusal, type RefusalCode, refusals } from '../../platform/lib/refusal.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { exposeHeaders } from './cors.ts'

/** Where the documentation explains a code: its heading in docs/partner/errors.md, as `slugOf` makes it an anchor. */
export const docUrlOf = ({ publicUrl }: Pick<Ctx, 'publicUrl'>, code: RefusalCode): string =>
  `${publicUrl}/docs/errors#${code.toLowerCase()}-${refusals[code]}`

/** Every answer of ours that is not 2xx, as partners read it. */
export function bodyOf(
  ctx: Pick<Ctx, 'publicUrl'>,
  { code, message, problems, facts }: Refusal,
  requestId: string,
): string {
  const errors = problems.map(namedProblem)
  const isOfField = message === problems[0]?.message
  return JSON.stringify({
    ...facts,
    statusCode: refusals[code],
    code,
    message: isOfField ? errors[0]?.message : message,
    errors,
    request_id: requestId,
    doc_url: docUrlOf(ctx, code),
  })
}

/** Our codes for the framework's own errors, which occur before a handler runs. */
const frameworkCodes: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}

const cutShort = 'The request could not be read to its end.'

const sentences: Partial<Record<RefusalCode, string>> = {
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON, with content-type application/json.',
  BAD_REQUEST: cutShort,
  NOT_FOUND: 'There is nothing under this address.',
  SERVICE_UNAVAILABLE: 'The service is not available at the moment. Please try again.',
}

/** The one place where a thrown error becomes an HTTP answer. A fault is logged for the operator; the caller sees a bare 500. */
export const answerErrors =
  (ctx: Pick<Ctx, 'log' | 'publicUrl'>) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const isCut = codeOf(error) === 'ECONNRESET' && !request.raw.complete
    const refusal = isCut ? new Refusal('BAD_REQUEST', cutShort) : refusalOf(error)
    const status = refusals[refusal.code]
    // A halt is an operator's decision, not a failure.
    if (status >= 500 && !refusal.problems.some(({ code }) => code === 'HALTED')) {
      // The pattern of the route, not its URL: ids and query values may be a person's.
      const facts = { err: error, request_id: request.id, method: request.method, route: request.routeOptions.url }
      ctx.log.error(facts, 'a request failed')
    }
    if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
    reply.header('x-request-id', request.id)
    exposeHeaders(reply)
    reply
      .code(status)
      .type('application/json; charset=utf-8')
      .send(bodyOf(ctx, refusal, request.id))
  }

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof ErasedPerson) return new Refusal('CONFLICT', 'The person of this transaction has been erased.')
  const code = frameworkCodes[codeOf(error)] ?? (isOutage(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR')
  const retryAfterSeconds = code === 'SERVICE_UNAVAILABLE' ? 1 : undefined
  return new Refusal(code, sentences[code] ?? 'Something went wrong on our side.', [], retryAfterSeconds)
}

/** How the driver says that a connection has broken, and Node that the server's socket is gone: no codes of their own. */
const lostConnection =
  /^Connection terminated|^Client has encountered a connection error|^timeout expired$|connection timeout|^connect ENOENT/

/**
 * The database is unreachable, starting, stopping, or failing over. It is not a bug of ours, and the request is worth retrying.
 * SQLSTATE classes 08 (connection), 53 (resources), 57P (operator), 25006 (a primary that has become a standby), 57014 (a statement
 * that took too long) and 55P03 (a lock that was not free in time).
 */
function isOutage(error: unknown): boolean {
  if (/^(08|53|57P|25006|57014|55P03)/.test(codeOf(error))) return true
  if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(codeOf(error))) return true
  return error instanceof Error && lostConnection.test(error.message)
}
