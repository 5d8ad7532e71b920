import { randomBytes } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { recordAudit } from '../audit/audit.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { noSuchPartner } from './find.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import type { SealedSecrets } from './partners.sql.ts'
import * as queries from './partners.sql.ts'

/** What a partner and we both know: the widget's signature key, and the secret of the first webhook endpoint. */
export type PartnerSecrets = { widgetSecret: string; webhookSecret: string }

/** Where the secrets of a partner belong. */
export const widgetPlace = (partnerId: bigint) => `partners:${partnerId}:widget_secret`
export const previousWidgetPlace = (partnerId: bigint) => `partners:${partnerId}:previous_widget_secret`
export const webhookPlace = (partnerId: bigint) => `partners:${partnerId}:webhook_secret`

/** Makes both, 256 random bits each; a webhook secret has the form of Standard Webhooks (`whsec_` and base64). */
export function makeSecrets(
  { secrets }: Pick<Ctx, 'secrets'>,
  partnerId: bigint,
): PartnerSecrets & { sealed: SealedSecrets } {
  const widgetSecret = randomToken(32)
  const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`
  const sealed = {
    widget_secret: seal(secrets.sealing, widgetSecret, widgetPlace(partnerId)),
    webhook_secret: seal(secrets.sealing, webhookSecret, webhookPlace(partnerId)),
  }
  return { widgetSecret, webhookSecret, sealed }
}

/** A partner's secrets in clear, for making and checking signatures. A partner that is not there is a fault. */
export async function readPartnerSecrets(
  { db, secrets }: Pick<Ctx, 'db' | 'secrets'>,
  partnerId: bigint,
): Promise<PartnerSecrets> {
  const sealed = await queries.sealedSecrets(db, partnerId)
  return {
    widgetSecret: unseal(secrets.sealing, sealed.widget_secret, widgetPlace(partnerId)).toString('utf8'),
    webhookSecret: unseal(secrets.sealing, sealed.webhook_secret, webhookPlace(partnerId)).toString('utf8'),
  }
}

/** The secrets that a signature of a partner's calculator may be made with now, the newest first. */
export async function widgetSecretsOf(
  { db, secrets, clock }: Pick<Ctx, 'db' | 'secrets' | 'clock'>,
  partnerId: bigint,
): Promise<string[]> {
  const [secret, previous] = await queries.widgetSecrets(db, partnerId, clock.realNow())
  const newest = unseal(secrets.sealing, secret, widgetPlace(partnerId)).toString('utf8')
  return previous
    ? [newest, unseal(secrets.sealing, previous, previousWidgetPlace(partnerId)).toString('utf8')]
    : [newest]
}

/**
 * Gives a partner a new widget secret. Signatures made with the old one are accepted for `overlapMs` more, in real time; another rotation
 * within that time ends the oldest at once. Audited.
 */
export async function rotateWidgetSecret(
  ctx: Ctx,
  partnerId: bigint,
  { overlapMs = ctx.config.webhooks.rotationOverlapMs, actor }: { overlapMs?: number | undefined; actor: string },
): Promise<{ secret: string; previousUntil: Date }> {
  const { sealing } = ctx.secrets
  const secret = randomToken(32)
  const previousUntil = after(ctx.clock.realNow(), overlapMs)
  await ctx.db.atomic(async (db) => {
    const known = await queries.lockWidgetSecret(db, partnerId)
    if (!known) throw noSuchPartner()
    const old = unseal(sealing, known, widgetPlace(partnerId))
    queries.saveWidgetSecret(db, partnerId, {
      secret: seal(sealing, secret, widgetPlace(partnerId)),
      previous: seal(sealing, old, previousWidgetPlace(partnerId)),
      until: previousUntil,
    })
    const entry = {
      at: ctx.clock.now(),
      actor,
      action: 'partner.widget_secret_rotated',
      subject: `partner:${partnerId}`,
    } as const
    recordAudit(db, { ...entry, before: {}, after: { previous_secret_until: previousUntil.toISOString() } })
  })
  return { secret, previousUntil }
}
