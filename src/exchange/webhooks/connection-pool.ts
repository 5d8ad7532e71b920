import { Client } from 'undici'

import { type Clock, stopwatch, systemClock } from '../../platform/lib/clock.ts'
import { guardedConnector, type LookUp } from '../../platform/lib/http.ts'
import type { Reach } from '../../platform/lib/private-address.ts'

/** The result of one attempt. */
export type Outcome =
  | 'delivered' // any 2xx
  | 'gone' // 410: the endpoint wants nothing more
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

/** An endpoint's response, or why there is none. `response` is the beginning of its body. */
export type Answer = {
  outcome: Outcome
  status: number | null
  response: string
  /** From a `Retry-After` header, in seconds of real time. */
  retryAfterSeconds: number | undefined
  tookMs: number
}

/** Kept-alive connections to one endpoint. */
export type ConnectionPool = {
  readonly url: string
  /** Sends one POST. Never throws; follows no redirect. */
  post(body: string | Buffer, headers: Record<string, string>): Promise<Answer>
  /** Closes each connection once nothing is in flight on it, and resolves when all are closed. */
  drain(): Promise<void>
  /** Closes every connection and aborts what is in flight. */
  close(): void
}

/** Limits in real time: `timeoutMs` is for connecting and the whole head of a response. */
export type PoolOptions = {
  reach: Reach
  timeoutMs: number
  connectTimeoutMs?: number | undefined
  lookUp?: LookUp | undefined
  /** For `Retry-After` dates in responses without a `Date` header. */
  clock?: Pick<Clock, 'realNow'>
}

const maxConnectMs = 5_000
const maxBodyMs = 5_000
const keepAliveMs = 4_000
/** A timer that fires later than this shows that this process was stalled, which is not the endpoint's fault. */
const stallMs = 50
/** How much of a response body is read before the connection is cut, and how much is kept. */
const readBytes = 65_536
const keptBytes = 1_024

/** Opens a pool. It connects when no connection is free. */
export function openConnectionPool(
  url: string,
  { reach, timeoutMs, connectTimeoutMs = maxConnectMs, lookUp, clock = systemClock() }: PoolOptions,
): ConnectionPool {
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
  let onDrained: (() => void) | undefined

  function connect(): Client {
    const client = new Client(origin, options)
    clients.add(client)
    return client
  }

  function end(client: Client): void {
    clients.delete(client)
    client.destroy().catch(() => undefined)
    if (clients.size === 0) onDrained?.()
  }

  return {
    url,
    post: async (body, headers) => {
      // The one that was used last, so that surplus connections time out.
      const client = free.pop() ?? connect()
      const request = { path: pathname + search, body, headers, timeoutMs, clock }
      const first = await attempt(client, request)
      // The endpoint closed a kept connection just as it was used again: it did not refuse the event.
      const last = first.stale ? await attempt(client, request) : first
      if (onDrained) end(client)
      else free.push(client)
      return last
    },
    drain: () =>
      new Promise((resolve) => {
        onDrained = resolve
        if (clients.size === 0) resolve()
        for (const client of free.splice(0)) end(client)
      }),
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

function attempt(client: Client, { timeoutMs, clock, ...request }: Request): Promise<Answer & { stale: boolean }> {
  const elapsed = stopwatch()
  return new Promise((resolve) => {
    let abort: ((reason: Error) => void) | undefined
    let head: { status: number; retryAfterSeconds: number | undefined } | undefined
    const kept: Buffer[] = []
    let bytes = 0
    let ended = false
    let limitMs = timeoutMs

    const end = (outcome: Outcome, stale = false) => {
      if (ended) return
      ended = true
      clearTimeout(deadline)
      const response = Buffer.concat(kept).subarray(0, keptBytes).toString('utf8')
      const { status = null, retryAfterSeconds } = head ?? {}
      resolve({ outcome, status, response, retryAfterSeconds, tookMs: Math.round(elapsed()), stale })
    }
    const cut = () => {
      end(head ? outcomeOf(head.status) : 'timed_out')
      abort?.(new Error('The response took too long or was too large.'))
    }
    const expire = () => {
      const lateMs = elapsed() - limitMs
      if (lateMs < stallMs) return cut()
      limitMs += lateMs * 2
      deadline = setTimeout(expire, lateMs)
    }
    let deadline = setTimeout(expire, timeoutMs)

    client.dispatch(
      { method: 'POST', ...request },
      {
        onRequestStart: (controller) => {
          abort = (reason) => controller.abort(reason)
          if (ended) cut()
        },
        onResponseStart: (_controller, status, headers) => {
          if (status < 200) return
          head = { status, retryAfterSeconds: readRetryAfter(headers, clock) }
          clearTimeout(deadline)
          if (ended) return
          const bodyMs = Math.min(maxBodyMs, timeoutMs)
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

/** A body that breaks off after the status changes nothing. */
function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered'
  if (status >= 300 && status < 400) return 'redirected'
  return status === 410 ? 'gone' : 'rejected'
}

const maxRetryAfterSeconds = 3_153_600_000

/** Reads seconds or a date (RFC 9110, 10.2.3). A date is measured against the response's own `Date`, else our clock. */
function readRetryAfter(
  { 'retry-after': value, date }: Record<string, string | string[] | undefined>,
  clock: Pick<Clock, 'realNow'>,
): number | undefined {
  const text = String(value ?? '').trim()
  if (/^\d+$/.test(text)) return Math.min(Number.parseInt(text, 10), maxRetryAfterSeconds)
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

/** The connection had carried responses before, and ended before this one began. */
function isStale(error: Error): boolean {
  if (!['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))) return false
  const socket = 'socket' in error ? (error.socket as { bytesRead?: number } | null) : null
  return (socket?.bytesRead ?? 0) > 0
}
