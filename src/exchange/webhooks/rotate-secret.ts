import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import { previousSecretPlace, secretPlace } from './endpoint.ts'
import { lockEndpoint, type Named, recordChange } from './manage-endpoints.ts'
import * as queries from './queries.ts'
import { makeSecret } from './sign.ts'

/** A new secret, shown this once, and until when (business time) the one before it signs too. */
export type Rotated = { secret: string; previousUntil: Date }

const longestOverlapMs = 30 * 86_400_000

/**
 * Gives an endpoint a new secret. For `overlapMs` everything is signed with both, so that a receiver can change over in its own
 * time; a rotation within that ends the oldest at once. Refuses an overlap over 30 days, and an endpoint that is not there.
 */
export async function rotateSecret(
  ctx: Ctx,
  db: Atomic,
  { overlapMs = ctx.config.webhooks.rotationOverlapMs, ...named }: Named & { overlapMs?: number | undefined },
  actor: string,
): Promise<Rotated> {
  if (overlapMs < 0 || overlapMs > longestOverlapMs) throw badField('overlap', 'This must be at most 30 days.')
  const { id, secret: sealed } = await lockEndpoint(db, named)
  const { sealing } = ctx.secrets
  const secret = makeSecret()
  const previousUntil = after(ctx.clock.now(), overlapMs)
  queries.replaceSecret(db, {
    id,
    secret: seal(sealing, secret, secretPlace(id)),
    previous: seal(sealing, unseal(sealing, sealed, secretPlace(id)), previousSecretPlace(id)),
    until: previousUntil,
  })
  const told = { previous_secret_until: previousUntil.toISOString() }
  recordChange(ctx, db, { actor, action: 'endpoint.secret_rotated', id, before: {}, after: told })
  return { secret, previousUntil }
}
