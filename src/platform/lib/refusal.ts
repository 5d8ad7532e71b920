/** Everything the service declines to do, with the HTTP status a partner sees (wire.md, section 1). */
export const refusals = {
  BAD_REQUEST: 400,
  PAIR_NOT_AVAILABLE: 400,
  INVALID_TOKEN: 401,
  SIGNATURE_INVALID: 401,
  FORBIDDEN: 403,
  COUNTRY_NOT_SUPPORTED: 403,
  FEATURE_NOT_ENABLED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

/** The code of a refusal, as partners read it. */
export type RefusalCode = keyof typeof refusals

/** One thing that is wrong with a request: where, which rule, in plain words. A range's problem also carries its ends. */
export type Problem = { path: string; code: string; message: string; min?: string; max?: string }

/**
 * The caller asked for something we will not do. Expected, safe to show, nobody is woken for it.
 * Anything else that is thrown is a fault: the caller sees a bare 500, the operator sees the stack.
 */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** What is wrong, item by item; empty when the message says it all. */
  readonly problems: Problem[]
  /** Real seconds after which it makes sense to try again (429, 409, 503). */
  readonly retryAfterSeconds: number | undefined

  constructor(code: RefusalCode, message: string, problems: Problem[] = [], retryAfterSeconds?: number) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.problems = problems
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * A problem whose message names its field, because most programs show nothing but the message: "This must be an object." of
 * `customer` becomes "customer must be an object." The sentence of a range names its amount already, and one about a pair is
 * about no single field.
 */
export function namedProblem(problem: Problem): Problem {
  const { path, code, message, min } = problem
  if (path === '' || min !== undefined || message.includes(path)) return problem
  const about = message.replace(/^This (?=(?:must|is|has|goes|looks) )/, `${path} `)
  if (about !== message) return { ...problem, message: about }
  return code === 'PAIR_NOT_AVAILABLE' ? problem : { ...problem, message: `${path}: ${message}` }
}

/** A refused field: BAD_REQUEST with one problem that says where. */
export const badField = (path: string, message: string, code = 'INVALID_VALUE'): Refusal =>
  new Refusal('BAD_REQUEST', message, [{ path, code, message }])
