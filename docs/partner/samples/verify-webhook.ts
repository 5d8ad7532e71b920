import { createHmac, timingSafeEqual } from 'node:crypto'

export type CambioEvent = {
  id: string
  type: string
  sequence: number
  created_at: string
  payload: { id: string; status?: string }
}

type Headers = Record<string, string | string[] | undefined>

/** Returns the event, or throws if its signature is wrong or older than five minutes. `body` is the raw text, before any parsing. */
export function verifyWebhook(body: string, headers: Headers, secret: string): CambioEvent {
  const id = String(headers['webhook-id'])
  const timestamp = String(headers['webhook-timestamp'])
  const sentAgoSeconds = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(sentAgoSeconds <= 300)) throw new Error('This webhook is too old, or has no timestamp.')

  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const right = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  const signatures = String(headers['webhook-signature']).split(' ')
  const isOurs = signatures.some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64')
    return signature.startsWith('v1,') && given.length === right.length && timingSafeEqual(given, right)
  })
  if (!isOurs) throw new Error('This webhook is not signed with our secret.')
  return JSON.parse(body) as CambioEvent
}
