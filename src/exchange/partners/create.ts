import { raiseVersion } from '../audit/version.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { isUnsafeLine } from '../../platform/lib/unsafe-characters.ts'
import { makeKey } from './keys.ts'
import type { Partner } from './partner.ts'
import * as queries from './partners.sql.ts'
import { makeSecrets } from './secrets.ts'
import { defaultSettings, type Feature, merged } from './settings.ts'

/** What a new partner gets. The texts are shown this once; names as `sandbox.json` and the command line write them. */
export type NewPartner = {
  partner: Partner
  public_key: string
  secret_key: string
  widget_secret: string
  webhook_secret: string
}

/** Makes a partner account with one key of each kind, in one atomic block. Refuses a name that is empty, over 200 long or not one line. */
export async function createPartner(
  ctx: Ctx,
  { name, features = {} }: { name: string; features?: Partial<Record<Feature, boolean>> },
  actor: string,
): Promise<NewPartner> {
  const settings = merged(defaultSettings, { features })
  const partner: Partner = {
    id: randomId(),
    name: readName(name),
    settings,
    createdAt: ctx.clock.now(),
    disabledAt: null,
    volumeCents: 0n,
  }
  const secrets = makeSecrets(ctx, partner.id)
  const publicKey = makeKey(ctx, { partnerId: partner.id, kind: 'public', label: 'first', allowIps: [] })
  const secretKey = makeKey(ctx, { partnerId: partner.id, kind: 'secret', label: 'first', allowIps: [] })

  await ctx.db.atomic(async (db) => {
    queries.insertPartner(db, partner, secrets.sealed)
    for (const { key, hash } of [publicKey, secretKey]) queries.insertKey(db, key, hash)
    const after = {
      name: partner.name,
      features: settings.features,
      keys: [publicKey, secretKey].map(({ key }) => String(key.id)),
    }
    recordAudit(db, {
      at: partner.createdAt,
      actor,
      action: 'partner.created',
      subject: `partner:${partner.id}`,
      before: null,
      after,
    })
    raiseVersion(db)
  })
  return {
    partner,
    public_key: publicKey.text,
    secret_key: secretKey.text,
    widget_secret: secrets.widgetSecret,
    webhook_secret: secrets.webhookSecret,
  }
}

/** A partner's name, as people typed it. */
export function readName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || name.length > 200 || isUnsafeLine(trimmed))
    throw badField('name', 'A partner needs a name of at most 200 characters that can be seen, on one line.')
  return trimmed
}
