/** One thing that is wrong with a request. */
export type Problem = { path: string; code: string; message: string }

/**
 * A response that is not 2xx. `code` is one of the documented ones, or `NETWORK` where no response came: then the request may or may
 * not have been carried out, and sending it again with the same idempotency key is safe.
 */
export class CambioError extends Error {
  readonly status: number
  readonly code: string
  readonly errors: readonly Problem[]
  readonly requestId: string | undefined
  /** The page that explains `code`. */
  readonly docUrl: string | undefined
  /** How many seconds to wait before trying again, if the exchange said so. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    details: {
      status: number
      code: string
      errors?: readonly Problem[]
      requestId?: string
      docUrl?: string
      retryAfter?: number
      cause?: unknown
    },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CambioError'
    this.status = details.status
    this.code = details.code
    this.errors = details.errors ?? []
    this.requestId = details.requestId
    this.docUrl = details.docUrl
    this.retryAfter = details.retryAfter
  }
}
