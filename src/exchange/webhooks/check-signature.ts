import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { unseal } from '../../platform/privacy/seal.ts'
import { type EndpointKey, lockEndpoint, secretPlace } from './endpoint.ts'
import { secretBytes, sign } from './sign.ts'

/** A delivery as it was received: three headers and the exact body. */
export type ReceivedDelivery = { id: string; timestamp: string; signature: string; body: string }

/**
 * Whether a delivery was signed with an endpoint's present secret, for partners who look for their mistake. Refuses an endpoint
 * that does not exist, or is another partner's.
 */
export async function isSignedFor(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  key: EndpointKey,
  { id, timestamp, signature, body }: ReceivedDelivery,
): Promise<boolean> {
  const { secret } = await ctx.db.atomic((db) => lockEndpoint(db, key))
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number.parseInt(timestamp, 10) : 0
  const opened = secretBytes(unseal(ctx.secrets.sealing, secret, secretPlace(key.id)).toString('utf8'))
  const expected = Buffer.from(sign({ id, timestamp: seconds, body }, [opened]))
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
