import type { components } from './schema.ts'

/** An event as it arrives at an endpoint; `type` says what `payload` is. */
export type WebhookEvent = components['schemas']['Event']

/** The headers of the request: a `Headers` object, or a record with names in any case, as Node has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** The request was not sent by the exchange, or is too old. Answer 400 and do nothing. */
export class WebhookError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WebhookError'
  }
}

/** How far the sender's clock and ours may be apart. */
const toleranceSeconds = 300

/**
 * Checks the signature of a webhook (Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`), and gives the event. `rawBody` is the
 * body as it came, before any parsing: text, a Buffer, a Uint8Array or an ArrayBuffer. Throws a WebhookError. The same event may come more than once: remember its `id`.
 */
export async function verify(
  secret: string,
  headers: WebhookHeaders,
  rawBody: string | ArrayBuffer | ArrayBufferView,
  { now = Date.now() }: { now?: number } = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(headers, name),
  )
  if (!id || !timestamp || !signatures) throw new WebhookError('A header of the signature is missing.')
  const sent = Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - sent) > toleranceSeconds) {
    throw new WebhookError('The timestamp is too far from now.')
  }
  const body = bytesOf(rawBody)
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  const key = await crypto.subtle.importKey('raw', secretBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  for (const signature of signatures.split(' ')) {
    const [version, encoded = ''] = signature.split(',')
    const bytes = version === 'v1' ? fromBase64(encoded) : undefined
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return parsed(body)
  }
  throw new WebhookError('The signature is wrong.')
}

/** The body's bytes: of text, a Buffer, a Uint8Array or an ArrayBuffer. */
function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  throw new WebhookError(
    'Pass the body as it came, before it is parsed: express.raw({ type: "application/json" }) in Express, await request.text() elsewhere.',
  )
}

function parsed(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
  } catch {
    throw new WebhookError('The body is not JSON.')
  }
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new WebhookError('The secret must begin with whsec_.')
  return bytes
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}
