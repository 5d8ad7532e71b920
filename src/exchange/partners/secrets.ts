import { randomBytes } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import type { SealedSecrets } from './partners.sql.ts'
import * as queries from './partners.sql.ts'

/** What a partner and we both know: the widget's signature key, and the secret of the first webhook endpoint. */
export type PartnerSecrets = { widgetSecret: string; webhookSecret: string }

const widgetPlace = (partnerId: bigint) => `partners:${partnerId}:widget_secret`
const webhookPlace = (partnerId: bigint) => `partners:${partnerId}:webhook_secret`

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
