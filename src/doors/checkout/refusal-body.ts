import type { FastifyReply, FastifyRequest } from 'fastify'

import { type Refusal, refusals } from '../../platform/lib/refusal.ts'

/** Answers a call of a page's script with a refusal, in the shape of the API's errors. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { code, message, problems } = refusal
  const status = refusals[code]
  return reply.code(status).send({ statusCode: status, code, message, errors: problems, request_id: request.id })
}

/** Whether a program reads the answer instead of a person. */
export const wantsJson = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('application/json') === true && !headers.accept.includes('text/html')
