import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { type Dispatcher, Pool } from 'undici'

import { stopwatch, type Clock } from '../../platform/lib/clock.ts'
import { guardedConnector, type LookUp } from '../../platform/lib/http.ts'

/** Whose account at Sumsub, and where. */
export type Account = {
  /** `https://api.sumsub.com`; plain http reaches this machine only. */
  url: string
  appToken: string
  secretKey: string
  /** Real milliseconds for one question in all, further attempts included. */
  timeoutMs: number
}

/** What a caller needs besides; `wait` and `lookUp` stand in for the timer and the name servers. */
export type Surroundings = {
  clock: Pick<Clock, 'realNow'>
  wait?: (ms: number) => Promise<void>
  lookUp?: LookUp
}

/** What came back: a status with the JSON that came with it (undefined without valid JSON), or why nothing did. */
export type Answer =
  | { came: true; status: number; body: unknown; retryAfterSeconds: number | undefined }
  | { came: false; code: string }

/** Asks Sumsub, signed. Never throws. */
export type Caller = {
  /** Repeated after network failures, 5xx and 429, as long as there is time. */
  get(path: string): Promise<Answer>
  /** With a body of JSON, or none. Repeated only where it cannot have happened: no connection, or 429. */
  post(path: string, body?: object): Promise<Answer>
  close(): Promise<void>
}

const mostAttempts = 3
const firstPauseMs = 250
const longestConnectMs = 5_000
const mostConnections = 8
/** A whole applicant has a few kilobytes; what is longer than this is cut off and not read. */
const mostBytes = 524_288

/**
 * Signs a request as Sumsub wants it: lower-case hex HMAC-SHA256, keyed with the app token's secret, over the time in unix
 * seconds, the method in upper case, the path with its query, and the body, without anything between them. Sumsub refuses
 * a time that is more than a minute away from its own.
 * Source: https://docs.sumsub.com/reference/authentication (page updated 2026-08-17, read 2026-11-20).
 */
const signRequest = (secretKey: string, unixSeconds: string, method: string, path: string, body = ''): string =>
  createHmac('sha256', secretKey).update(`${unixSeconds}${method}${path}`).update(body).digest('hex')

/** Opens connections to Sumsub's API. They are made when needed, to no private address, and follow no redirect. */
export function openCaller(account: Account, { clock, wait = (ms) => sleep(ms), lookUp }: Surroundings): Caller {
  const { origin, protocol } = new URL(account.url)
  const { timeoutMs } = account
  const reach = { loopback: protocol === 'http:' }
  const pool = new Pool(origin, {
    connections: mostConnections,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: 16_384,
    connect: guardedConnector(reach, { connectTimeoutMs: Math.min(longestConnectMs, timeoutMs), lookUp }),
  })

  async function attempt(method: Dispatcher.HttpMethod, path: string, sent: string, leftMs: number): Promise<Answer> {
    const unixSeconds = String(Math.floor(clock.realNow().getTime() / 1_000))
    try {
      const { statusCode, headers, body } = await pool.request({
        method,
        path,
        ...(sent === '' ? {} : { body: sent }),
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(leftMs))),
        headers: {
          accept: 'application/json',
          ...(sent === '' ? {} : { 'content-type': 'application/json' }),
          'user-agent': 'Cambio-Identity/1',
          'x-app-token': account.appToken,
          'x-app-access-ts': unixSeconds,
          'x-app-access-sig': signRequest(account.secretKey, unixSeconds, method, path, sent),
        },
      })
      const text = await readText(body)
      const retryAfterSeconds = readRetryAfter(headers['retry-after'])
      return { came: true, status: statusCode, body: readJson(text), retryAfterSeconds }
    } catch (error) {
      return { came: false, code: codeOf(error) }
    }
  }

  async function ask(method: 'GET' | 'POST', path: string, sent = ''): Promise<Answer> {
    const elapsed = stopwatch()
    for (let attempts = 1; ; attempts += 1) {
      const answer = await attempt(method, path, sent, timeoutMs - elapsed())
      const pauseMs = pauseAfter(answer, attempts)
      const over = attempts === mostAttempts || elapsed() + pauseMs >= timeoutMs
      if (over || !mayRepeat(method, answer)) return answer
      await wait(pauseMs)
    }
  }

  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body === undefined ? '' : JSON.stringify(body)),
    close: () => pool.destroy(),
  }
}

/** Failures in which nothing was sent. */
const neverSent = /^(ECONNREFUSED|ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/

function mayRepeat(method: 'GET' | 'POST', answer: Answer): boolean {
  if (!answer.came) return method === 'GET' ? answer.code !== 'TOO_LONG' : neverSent.test(answer.code)
  return answer.status === 429 || (method === 'GET' && answer.status >= 500)
}

const pauseAfter = (answer: Answer, attempts: number): number =>
  answer.came && answer.retryAfterSeconds !== undefined
    ? answer.retryAfterSeconds * 1_000
    : firstPauseMs * 2 ** (attempts - 1)

/** Seconds only, which is what Sumsub shows in its examples; a date counts as absent. */
function readRetryAfter(value: string | string[] | undefined): number | undefined {
  const text = String(value ?? '').trim()
  return /^\d{1,6}$/.test(text) ? Number.parseInt(text, 10) : undefined
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the stream, and the connection with it.
    if (bytes > mostBytes) throw Object.assign(new Error('The answer is too long.'), { code: 'TOO_LONG' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A code for the log: never the message, which may repeat what was sent. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
