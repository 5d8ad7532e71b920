import { CambioError, type Problem } from './error.ts'

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined | null>>

/** How one call differs from the client's own settings. */
export type CallOptions = {
  /** Makes a repeated POST have one effect. Made up for each call unless given; keep it to repeat a call after a crash. */
  idempotencyKey?: string
  signal?: AbortSignal
  /** Milliseconds for one attempt. */
  timeout?: number
}

export type Request = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: Query
  body?: unknown
} & CallOptions

/** Signs a request: `Partner-Signature` over the text that the documentation names, in base64. */
export type Sign = (text: string) => string | Promise<string>

export type Transport = {
  baseUrl: string
  apiKey: string | undefined
  timeout: number
  retries: number
  fetch: typeof fetch
  sign: Sign | undefined
}

const longestWaitMs = 30_000
/** Statuses after which the same request may be sent again. 409 is so only while the first one is in progress. */
const passing = new Set([408, 429, 500, 502, 503, 504])

/** Sends a request, again after a passing failure, and gives the parsed response. Throws a CambioError. */
export async function send<Result>(transport: Transport, request: Request): Promise<Result> {
  const key = request.method === 'POST' ? (request.idempotencyKey ?? crypto.randomUUID()) : undefined
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await sendOnce<Result>(transport, request, key)
    } catch (error) {
      // The first answer to a removal was lost.
      if (attempt > 0 && request.method === 'DELETE' && error instanceof CambioError && error.status === 404)
        return null as Result
      if (!(error instanceof CambioError) || attempt >= transport.retries || !mayRepeat(error, request)) throw error
      const asked = error.retryAfter === undefined ? undefined : error.retryAfter * 1_000
      if (asked !== undefined && asked > longestWaitMs) throw error
      const backOff = 250 * 2 ** attempt * (0.5 + Math.random())
      await wait(asked ?? backOff, request.signal)
    }
  }
}

/** A PATCH without an answer may have had its effect; it is not repeated. A POST has its idempotency key. */
const mayRepeat = ({ status, code }: CambioError, { method, signal }: Request): boolean =>
  signal?.aborted !== true &&
  (code === 'IDEMPOTENCY_IN_PROGRESS' ||
    status === 429 ||
    (method !== 'PATCH' && (status === 0 || passing.has(status))))

async function sendOnce<Result>(transport: Transport, request: Request, key: string | undefined): Promise<Result> {
  const { method, signal, timeout = transport.timeout } = request
  const path = `${request.path}${queryText(request.query)}`
  const body = request.body === undefined ? undefined : JSON.stringify(request.body)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (transport.apiKey !== undefined) headers['x-api-key'] = transport.apiKey
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (key !== undefined) headers['idempotency-key'] = key
  if (transport.sign) {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    headers['partner-timestamp'] = timestamp
    headers['partner-signature'] = await transport.sign(`${timestamp}.${method}.${path}.${key ?? ''}.${body ?? ''}`)
  }
  const limit = AbortSignal.timeout(timeout)
  const response = await transport
    .fetch(transport.baseUrl + path, {
      method,
      headers,
      // A redirect would take the API key along.
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    .catch((cause: unknown) => {
      throw new CambioError('The exchange did not respond.', { status: 0, code: 'NETWORK', cause })
    })
  const text = await response.text().catch((cause: unknown) => {
    throw new CambioError('The response broke off.', { status: 0, code: 'NETWORK', cause })
  })
  const parsed = parse(text)
  if (response.ok && parsed !== undefined) return parsed as Result
  throw failureOf(response, parsed)
}

function failureOf(response: Response, parsed: unknown): CambioError {
  const {
    code,
    message,
    errors,
    request_id: id,
    doc_url: docUrl,
  } = (parsed ?? {}) as {
    code?: string
    message?: string
    errors?: Problem[]
    request_id?: string
    doc_url?: string
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const requestId = id ?? response.headers.get('x-request-id') ?? undefined
  return new CambioError(message ?? `The exchange answered ${response.status}.`, {
    status: response.status,
    code: code ?? 'UNREADABLE',
    ...(errors ? { errors } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(docUrl === undefined ? {} : { docUrl }),
    ...(Number.isNaN(retryAfter) ? {} : { retryAfter }),
  })
}

/** An empty text is an empty answer; undefined is no JSON. */
function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function queryText(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
  )
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? '' : `?${text}`
}

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
