/** The codes of refused requests, with the HTTP status that a partner sees. */
export const refusals = {
  BAD_REQUEST: 400,
  PAIR_NOT_AVAILABLE: 400,
  INVALID_TOKEN: 401,
  SIGNATURE_INVALID: 401,
  FORBIDDEN: 403,
  COUNTRY_NOT_SUPPORTED: 403,
  FEATURE_NOT_ENABLED: 403,
  NOT_PROVEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  NOT_EXCLUDED: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type RefusalCode = keyof typeof refusals

/** One error in a request. `min` and `max` are set for an amount out of range. */
export type Problem = { path: string; code: string; message: string; min?: string; max?: string }

/**
 * A request that we decline: expected, safe to show, not an alert. Anything else that is thrown is a fault: the caller sees a
 * bare 500, the operator the stack.
 */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** Empty when the message says it all. */
  readonly problems: Problem[]
  /** Real seconds until a retry makes sense (429, 409, 503). */
  readonly retryAfterSeconds: number | undefined
  /** What the answer says in addition, by name. */
  readonly facts: Readonly<Record<string, string>>

  constructor(
    code: RefusalCode,
    message: string,
    problems: Problem[] = [],
    retryAfterSeconds?: number,
    facts: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.problems = problems
    this.retryAfterSeconds = retryAfterSeconds
    this.facts = facts
  }

  /** For the framework, which answers with it where no page of ours does. */
  get statusCode(): number {
    return refusals[this.code]
  }
}

/**
 * Puts the field's name into the message, because most programs show nothing else: for `customer`, "This must be an object."
 * becomes "customer must be an object." The message of a range names its amount already, and a pair has no single field.
 */
export function namedProblem(problem: Problem): Problem {
  const { path, code, message, min } = problem
  if (path === '' || min !== undefined || message.includes(path)) return problem
  const about = message.replace(/^This (?=(?:must|is|has|goes|looks) )/, `${path} `)
  if (about !== message) return { ...problem, message: about }
  return code === 'PAIR_NOT_AVAILABLE' ? problem : { ...problem, message: `${path}: ${message}` }
}

export const badField = (path: string, message: string, code = 'INVALID_VALUE'): Refusal =>
  new Refusal('BAD_REQUEST', message, [{ path, code, message }])

/** Refuses one field for another reason than that it cannot be read: of what it names there is nothing, or that does not fit now. */
export const fieldRefusal = (refusal: RefusalCode, path: string, message: string): Refusal =>
  new Refusal(refusal, message, [{ path, code: 'INVALID_VALUE', message }])

/** Refuses what is not possible now (CONFLICT), where there is a reason why not. */
export function refuseNow(why: string | undefined): void {
  if (why !== undefined) throw new Refusal('CONFLICT', why)
}
