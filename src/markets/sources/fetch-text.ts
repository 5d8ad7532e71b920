import { Agent, type Dispatcher, request } from 'undici'

import { RateLimited } from './poll.ts'

/** Five thousand pairs are half a megabyte. */
const mostBytes = 8_000_000

/** What is sent in addition, and when the answer must be complete, headers and body. */
export type FetchOptions = { headers?: Record<string, string>; timeoutMs: number; signal: AbortSignal }

/** Asks a URL for a text. Redirects are not followed, and a text of more than eight megabytes is refused. */
export async function fetchText(url: string, agent: Agent, options: FetchOptions): Promise<string> {
  // Not AbortSignal.any: what only it refers to can be collected, and then nothing ever ends the request.
  const ended = new AbortController()
  const end = (): void => ended.abort(new Error(`The source did not answer within ${options.timeoutMs} ms.`))
  const timer = setTimeout(end, options.timeoutMs)
  options.signal.addEventListener('abort', end)
  try {
    return await textOf(
      await request(url, {
        dispatcher: agent,
        signal: ended.signal,
        headers: { accept: 'application/json, application/xml', ...options.headers },
      }),
    )
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', end)
  }
}

async function textOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (statusCode === 200) return await body.text()
  await body.dump()
  if (statusCode === 429 || statusCode === 503) throw new RateLimited(secondsIn(headers['retry-after']) * 1_000)
  throw new Error(`The source answered with status ${statusCode}.`)
}

/** Keeps connections to one source; a socket that is silent is dropped with its request. */
export const sourceAgent = (): Agent =>
  new Agent({ connections: 4, pipelining: 1, maxResponseSize: mostBytes, keepAliveTimeout: 10_000 })

const secondsIn = (header: string | string[] | undefined): number =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number.parseInt(header, 10) : 1
