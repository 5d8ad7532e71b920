import { setTimeout as pause } from 'node:timers/promises'

import { Client } from 'undici'

import { type Config, readConfig } from '../config/config.ts'
import { type Clock, systemClock } from '../../platform/lib/clock.ts'
import { readSandboxFile } from '../sandbox-file.ts'
import { type ConnectionPool, openConnectionPool } from '../../exchange/webhooks/connection-pool.ts'
import { makeSecret, secretBytes, signedHeaders } from '../../exchange/webhooks/sign.ts'
import { type Answer, type Invocation, WrongUsage } from '../../doors/commands/command.ts'

/** How a partner reaches the API, and the secret of its endpoint. */
type Side = { url: string; secretKey: string; webhookSecret: string }

/** A page of `GET /v1/events`. */
type Page = { data: FeedEvent[]; next_after: string | null; has_more: boolean }
type FeedEvent = { id: string; type: string }

const longestWaitSeconds = 30
const retryMs = [1_000, 2_000, 4_000]
const pauseMs = 2_000

/**
 * Polls the event feed over the API and delivers each event to an address on this machine like a webhook, with the same body,
 * headers and signature. Ends on Ctrl-C or SIGTERM.
 */
export async function listen({ flags }: Invocation): Promise<Answer> {
  const forward = flags.forward ?? ''
  if (!URL.canParse(forward) || !/^https?:$/.test(new URL(forward).protocol)) {
    throw new WrongUsage('--forward must be the URL of your endpoint, such as http://localhost:4000/hook.')
  }
  const config = readConfig()
  const side = await sideOf(config)
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

  const pool = openConnectionPool(forward, { reach: { loopback: true }, timeoutMs: config.webhooks.timeoutMs })
  // Ctrl-C does not wait for an endpoint that hangs.
  ending.signal.addEventListener('abort', pool.close)
  const client = new Client(side.url)
  const forwarding = { side, pool, client, clock: systemClock(), signal: ending.signal }
  print(`Forwarding events of ${side.url} to ${forward}. Your endpoint's secret: ${side.webhookSecret}`)
  try {
    await follow(forwarding, flags.after ?? 'latest', flags.types)
  } catch (error) {
    if (!ending.signal.aborted) throw error
  } finally {
    pool.close()
    await client.destroy()
  }
  return { json: null }
}

/** From the environment, else from the sandbox on this machine. Without a webhook secret, a temporary one. */
async function sideOf(config: Config): Promise<Side> {
  const { listen: own } = config
  const sandbox = own.secretKey === undefined ? await readSandboxFile(config) : undefined
  const url = own.url ?? sandbox?.url
  const secretKey = own.secretKey ?? sandbox?.secret_key
  if (url === undefined || secretKey === undefined) {
    throw new Error('No exchange to listen to: set CAMBIO_URL and CAMBIO_SECRET_KEY, or start a sandbox here first.')
  }
  return { url, secretKey, webhookSecret: own.webhookSecret ?? sandbox?.webhook_secret ?? makeSecret() }
}

type Forwarding = { side: Side; pool: ConnectionPool; client: Client; clock: Clock; signal: AbortSignal }

async function follow(forwarding: Forwarding, from: string, types: string | undefined): Promise<void> {
  let after: string | null = from === 'beginning' ? null : from
  let waitSeconds = 0
  while (!forwarding.signal.aborted) {
    const page: Page | undefined = await read(forwarding, { after, types, waitSeconds })
    if (!page) {
      await pause(pauseMs, undefined, { signal: forwarding.signal })
      continue
    }
    for (const event of page.data) await deliver(forwarding, event)
    after = page.next_after
    waitSeconds = longestWaitSeconds
  }
}

/** Undefined when the exchange is unreachable. Throws on a refusal, which a retry would not change. */
async function read(
  { side, client, signal }: Forwarding,
  { after, types, waitSeconds }: { after: string | null; types: string | undefined; waitSeconds: number },
): Promise<Page | undefined> {
  const query = new URLSearchParams({ wait: String(waitSeconds), limit: '100' })
  if (after !== null) query.set('after', after)
  if (types !== undefined) query.set('types', types)
  try {
    const path = `/v1/events?${query.toString()}`
    const answer = await client.request({ method: 'GET', path, headers: { 'x-api-key': side.secretKey }, signal })
    const text = await answer.body.text()
    if (answer.statusCode === 200) return JSON.parse(text) as Page
    const isTheirs = answer.statusCode < 500 && answer.statusCode !== 429
    if (isTheirs) throw new Refused(`The exchange answered ${answer.statusCode}: ${messageIn(text)}`)
    print(`The exchange answered ${answer.statusCode}; retrying.`)
  } catch (error) {
    if (error instanceof Refused || signal.aborted) throw error
    print('The exchange is unreachable; retrying.')
  }
  return undefined
}

/** The exchange refused the request. */
class Refused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Error'
  }
}

function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message)
  } catch {
    return text.slice(0, 200)
  }
}

/** Delivers one event, with a few retries. */
async function deliver({ side, pool, clock, signal }: Forwarding, event: FeedEvent): Promise<void> {
  // Parsing and stringifying keeps the body as it was: the API's JSON has no number that would change.
  const body = JSON.stringify(event)
  for (const waitMs of [...retryMs, undefined]) {
    const headers = signedHeaders(event.id, clock.realNow(), body, [secretBytes(side.webhookSecret)])
    const { outcome, status, tookMs } = await pool.post(body, headers)
    signal.throwIfAborted()
    print(`${event.type} ${event.id} ${status ?? outcome} ${tookMs} ms`)
    if (outcome === 'delivered' || waitMs === undefined) return
    await pause(waitMs, undefined, { signal })
  }
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}
