import { Client } from 'undici'

import { type Clock, stopwatch, systemClock } from '../../platform/lib/clock.ts'
import { guardedConnector, type LookUp } from '../../platform/lib/http.ts'
import type { Reach } from '../../platform/lib/private-address.ts'

/** What came of one attempt, in a word that an operator can read. */
export type Outcome =
  | 'delivered' // any 2xx
  | 'gone' // 410: the endpoint wants nothing any more
  | 'redirected' // 3xx, which is not followed
  | 'rejected' // any other status
  | 'timed_out'
  | 'connect_timed_out'
  | 'connection_refused'
  | 'connection_closed'
  | 'name_not_resolved'
  | 'address_refused'
  | 'tls_failed'
  | 'not_http'
  | 'network_failed'

/** An endpoint's answer, or why there is none. `response` is the beginning of its body. */
export type Answer = {
  outcome: Outcome
  status: number | null
  response: string
  /** What a `Retry-After` header said, in seconds (real time). */
  retryAfterSeconds: number | undefined
  tookMs: number
}

/** Kept-alive connections to one endpoint, of nobody else's concern: a slow endpoint holds up only itself. */
export type Line = {
  readonly url: string
  /** Sends one POST. Never throws: whatever happens becomes an answer. Follows no redirect. */
  post(body: string | Buffer, headers: Record<string, string>): Promise<Answer>
  /** Ends every connection as soon as nothing is under way on it, and calls `then` when the last one has ended. */
  end(then: () => void): void
  /** Ends every connection, and what is under way on it. */
  close(): void
}

/** Limits of a line, in real time: `timeoutMs` is for the whole head of an answer, connecting included. */
export type LineOptions = {
  reach: Reach
  timeoutMs: number
  connectTimeoutMs?: number | undefined
  lookUp?: LookUp | undefined
  /** For answers that do not say what time it is. */
  clock?: Pick<Clock, 'realNow'>
}

const longestConnectMs = 5_000
const longestBodyMs = 5_000
const keepAliveMs = 4_000
/** A time-out that comes later than this finds a process that stood still, which is not the endpoint's fault. */
const stallMs = 50
/** How much of an answer is read before the connection is cut, and how much of that is kept. */
const readBytes = 65_536
const keptBytes = 1_024

/** Opens a line. Connections are made when there is none free, as many as there are calls at once. */
export function openLine(
  url: string,
  { reach, timeoutMs, connectTimeoutMs = longestConnectMs, lookUp, clock = systemClock() }: LineOptions,
): Line {
  const { origin, pathname, search } = new URL(url)
  const options: Client.Options = {
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    connect: guardedConnector(reach, { connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs), lookUp }),
  }
  const clients = new Set<Client>()
  const free: Client[] = []
  let whenEnded: (() => void) | undefined

  function make(): Client {
    const client = new Client(origin, options)
    clients.add(client)
    return client
  }

  function endOne(client: Client): void {
    clients.delete(client)
    client.destroy().catch(() => undefined)
    if (clients.size === 0) whenEnded?.()
  }

  return {
    url,
    post: async (body, headers) => {
      // The one that was used last: connections that are not needed any more end by themselves.
      const client = free.pop() ?? make()
      const request = { path: pathname + search, body, headers, timeoutMs, clock }
      const first = await attempt(client, request)
      // The endpoint closed a kept connection just as it was used again: that is not its failure to take the event.
      const last = first.stale ? await attempt(client, request) : first
      if (whenEnded) endOne(client)
      else free.push(client)
      return last
    },
    end: (then) => {
      whenEnded = then
      if (clients.size === 0) then()
      for (const client of free.splice(0)) endOne(client)
    },
    close: () => {
      for (const client of clients) client.destroy().catch(() => undefined)
    },
  }
}

type Request = {
  path: string
  body: string | Buffer
  headers: Record<string, string>
  timeoutMs: number
  clock: Pick<Clock, 'realNow'>
}

function attempt(
  client: Client,
  { path, body, headers, timeoutMs, clock }: Request,
): Promise<Answer & { stale: boolean }> {
  const elapsed = stopwatch()
  return new Promise((resolve) => {
    let abort: ((reason: Error) => void) | undefined
    let head: { status: number; retryAfterSeconds: number | undefined } | undefined
    const kept: Buffer[] = []
    let bytes = 0
    let over = false
    let limitMs = timeoutMs

    const end = (outcome: Outcome, stale = false) => {
      if (over) return
      over = true
      clearTimeout(deadline)
      const response = Buffer.concat(kept).subarray(0, keptBytes).toString('utf8')
      const { status = null, retryAfterSeconds } = head ?? {}
      resolve({ outcome, status, response, retryAfterSeconds, tookMs: Math.round(elapsed()), stale })
    }
    const cut = () => {
      end(head ? outcomeOf(head.status) : 'timed_out')
      abort?.(new Error('The answer took too long, or was too long.'))
    }
    const expire = () => {
      const lateMs = elapsed() - limitMs
      if (lateMs < stallMs) return cut()
      limitMs += lateMs * 2
      deadline = setTimeout(expire, lateMs)
    }
    let deadline = setTimeout(expire, timeoutMs)

    client.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart: (controller) => {
          abort = (reason) => controller.abort(reason)
          if (over) cut()
        },
        onResponseStart: (_controller, status, answered) => {
          if (status < 200) return
          head = { status, retryAfterSeconds: readRetryAfter(answered, clock) }
          clearTimeout(deadline)
          if (over) return
          const bodyMs = Math.min(longestBodyMs, timeoutMs)
          limitMs = elapsed() + bodyMs
          deadline = setTimeout(expire, bodyMs)
        },
        onResponseData: (_controller, chunk) => {
          if (bytes < keptBytes) kept.push(Buffer.from(chunk.subarray(0, keptBytes)))
          bytes += chunk.length
          if (bytes > readBytes) cut()
        },
        onResponseEnd: () => end(outcomeOf(head?.status ?? 0)),
        onResponseError: (_controller, error) =>
          head ? end(outcomeOf(head.status)) : end(failureOf(error), isStale(error)),
      },
    )
  })
}

/** What a status means. A body that broke off after it changes nothing: the endpoint has said what it had to say. */
function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered'
  if (status >= 300 && status < 400) return 'redirected'
  return status === 410 ? 'gone' : 'rejected'
}

/** The longest wait that is read from a `Retry-After`; whoever waits may cut it shorter. */
const longestWaitSeconds = 3_153_600_000

/**
 * A `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), the date measured against the answer's own clock; against ours where
 * it does not tell its own.
 */
function readRetryAfter(
  { 'retry-after': value, date }: Record<string, string | string[] | undefined>,
  clock: Pick<Clock, 'realNow'>,
): number | undefined {
  const text = String(value ?? '').trim()
  if (/^\d+$/.test(text)) return Math.min(Number.parseInt(text, 10), longestWaitSeconds)
  const theirNow = Date.parse(String(date))
  const now = Number.isNaN(theirNow) ? clock.realNow().getTime() : theirNow
  const seconds = (Date.parse(text) - now) / 1_000
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined
}

const failures: [code: RegExp, outcome: Outcome][] = [
  [/^ADDRESS_REFUSED$/, 'address_refused'],
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$/, 'connect_timed_out'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|EBADNAME|ENONAME|EAI_AGAIN)$/, 'name_not_resolved'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'connection_closed'],
  [/CERT|SIGNATURE|SELF_SIGNED|^ERR_TLS|^ERR_SSL|^EPROTO$/, 'tls_failed'],
  [/^HPE_|^HTTPParserError$|^UND_ERR_(HEADERS_OVERFLOW|HTTP|RES_CONTENT)/, 'not_http'],
]

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name)

const failureOf = (error: Error): Outcome =>
  failures.find(([codes]) => codes.test(codeOf(error)))?.[1] ?? 'network_failed'

/** The connection had carried answers before, and ended before this one began. */
function isStale(error: Error): boolean {
  if (!['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))) return false
  const socket = 'socket' in error ? (error.socket as { bytesRead?: number } | null) : null
  return (socket?.bytesRead ?? 0) > 0
}
