import type { FastifyRequest } from 'fastify'

import { Refusal } from '../../platform/lib/refusal.ts'
import type { SecurityEventKind } from '../../platform/lib/security-events.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the log and the metrics say of this request once it is answered; see `watchRequests`. */
    securityEvent: SecurityEventKind | undefined
  }
}

/** Notes on a request that it was refused, where the reason may be an attack. What was noted before stays. */
export function noteRefusal(request: FastifyRequest, error: unknown): void {
  if (error instanceof Refusal) request.securityEvent ??= kindOf(error, request.url.startsWith('/v1'))
}

const lockouts: ReadonlySet<string | undefined> = new Set([
  'TOO_MANY_TRIES',
  'TOO_MANY_CODES',
  'TOO_MANY_HERE',
  'TASK_NEEDED',
])

function kindOf({ code, problems }: Refusal, isApi: boolean): SecurityEventKind | undefined {
  const problem = problems[0]?.code
  if (code === 'INVALID_TOKEN') return isApi ? 'bad_key' : 'bad_code'
  if (code === 'SIGNATURE_INVALID') return 'bad_signature'
  if (code === 'RATE_LIMITED') return lockouts.has(problem) ? 'code_lockout' : 'rate_limited'
  // A problem of a field is a limit of the business.
  if (code === 'FORBIDDEN') return problem === undefined ? 'forbidden' : undefined
  return problem === 'CODE_WRONG' || problem === 'CODE_SPENT' ? 'bad_code' : undefined
}
