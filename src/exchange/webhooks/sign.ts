import { createHmac, type KeyObject, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A new endpoint's secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export const makeSecret = (): string => prefix + randomBytes(32).toString('base64')

export function secretBytes(secret: string): Buffer {
  if (!secret.startsWith(prefix)) throw new Error('A webhook secret begins with whsec_.')
  return Buffer.from(secret.slice(prefix.length), 'base64')
}

/** What is signed: the event's id, the time of this attempt (real time, unix seconds) and the very text that is sent. */
export type Message = { id: string; timestamp: number; body: string | Buffer }

/**
 * Signs by the Standard Webhooks scheme: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, one for each secret, with
 * a space between them, so that a receiver who knows the old or the new secret accepts it while a secret rotates.
 */
export const sign = ({ id, timestamp, body }: Message, secrets: readonly (Buffer | KeyObject)[]): string =>
  secrets
    .map((secret) => createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64'))
    .map((mac) => `v1,${mac}`)
    .join(' ')
