import { createHmac, type KeyObject, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** Makes a secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export const makeSecret = (): string => prefix + randomBytes(32).toString('base64')

export function secretBytes(secret: string): Buffer {
  if (!secret.startsWith(prefix)) throw new Error('A webhook secret begins with whsec_.')
  return Buffer.from(secret.slice(prefix.length), 'base64')
}

/** What is signed: the event's id, the time of this attempt (real time, unix seconds) and the exact body. */
export type Message = { id: string; timestamp: number; body: string | Buffer }

/** Signs by the Standard Webhooks scheme: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, once for each secret. */
export const sign = ({ id, timestamp, body }: Message, secrets: readonly (Buffer | KeyObject)[]): string =>
  secrets
    .map((secret) => createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64'))
    .map((mac) => `v1,${mac}`)
    .join(' ')

const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000)

/** The headers of an attempt sent at `sentAt` (real time), without signatures. */
export const plainHeaders = (webhookId: string, sentAt: Date): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Cambio-Webhooks/1',
  'webhook-id': webhookId,
  'webhook-timestamp': String(unixSeconds(sentAt)),
})

/** The headers of an attempt, signed with each of the secrets. */
export const signedHeaders = (
  webhookId: string,
  sentAt: Date,
  body: string | Buffer,
  secrets: readonly (Buffer | KeyObject)[],
): Record<string, string> => ({
  ...plainHeaders(webhookId, sentAt),
  'webhook-signature': sign({ id: webhookId, timestamp: unixSeconds(sentAt), body }, secrets),
})
