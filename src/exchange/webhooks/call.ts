import { eventId } from '../events/event.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Ready, Target } from './lane.ts'
import type { Attempt } from './settle.ts'
import { sign } from './sign.ts'

const ourName = 'Cambio-Webhooks/1'

/** What goes with the body of an attempt that is made at `sentAt` (real time), the signatures aside. */
export const plainHeaders = (webhookId: string, sentAt: Date): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': ourName,
  'webhook-id': webhookId,
  'webhook-timestamp': String(unixSeconds(sentAt)),
})

const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000)

type Secrets = Parameters<typeof sign>[1]

/** Everything that goes with a body, signed with each of the secrets. */
export const signedHeaders = (webhookId: string, sentAt: Date, body: string | Buffer, secrets: Secrets) => {
  const headers = plainHeaders(webhookId, sentAt)
  headers['webhook-signature'] = sign({ id: webhookId, timestamp: unixSeconds(sentAt), body }, secrets)
  return headers
}

/** Makes one attempt: the text as it is stored, signed anew with the time of now. Never throws. */
export async function call(clock: Clock, target: Target, { delivery, body }: Ready): Promise<Attempt> {
  const sentAt = clock.realNow()
  const { url } = target.line
  const secrets = target.secrets(clock.now())
  const answer = await target.line.post(body, signedHeaders(eventId(delivery.event), sentAt, body, secrets))
  return { delivery, answer, at: clock.now(), url, sentAt }
}
