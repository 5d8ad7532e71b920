import { isDeepStrictEqual } from 'node:util'

import { recordAudit } from '../audit/audit.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { noSuchPartner } from './find.ts'
import type { Partner } from './partner.ts'
import * as queries from './partners.sql.ts'
import { readChanges } from './setting-text.ts'
import { featureNames, isFeature, merged, type PartnerSettings } from './settings.ts'

/**
 * Changes settings of a partner account by their names on the command line (`slippage_percent`, `fees`, ...): `texts` has a
 * value for each, the file's contents where `isFileSetting` says so. All of them or none. In force everywhere within two
 * seconds. Refuses unknown names, values that cannot be read, and an unknown partner.
 */
export async function setPartner(
  ctx: Ctx,
  partnerId: bigint,
  texts: Readonly<Record<string, string>>,
  actor: string,
): Promise<Partner> {
  const changes = readChanges(texts)
  return change(ctx, partnerId, actor, 'partner.changed', (settings) => {
    const changed = changes.reduce(merged, settings)
    if (changed.signing !== 'off' && changed.signingKey === null) {
      throw new Refusal('BAD_REQUEST', 'Signing needs signing_key=FILE, the public key of the partner.')
    }
    const unsigned = ['calculator_v1', 'unsigned_presets'].find((name) => texts[name]?.trim() === 'on')
    if (unsigned !== undefined && changed.signing !== 'off') {
      throw new Refusal('BAD_REQUEST', `${unsigned} cannot be on while signing is on.`)
    }
    return changed
  })
}

/** Switches one feature on or off. Refuses an unknown name and an unknown partner. */
export async function switchFeature(
  ctx: Ctx,
  partnerId: bigint,
  { feature, on }: { feature: string; on: boolean },
  actor: string,
): Promise<Partner> {
  if (!isFeature(feature))
    throw new Refusal('BAD_REQUEST', `There is no such feature; there are ${featureNames.join(', ')}.`)

  const features = { [feature]: on }
  return change(ctx, partnerId, actor, `feature.switched_${on ? 'on' : 'off'}`, (settings) =>
    merged(settings, { features }),
  )
}

async function change(
  ctx: Ctx,
  partnerId: bigint,
  actor: string,
  action: string,
  next: (settings: PartnerSettings) => PartnerSettings,
): Promise<Partner> {
  return ctx.db.atomic(async (db) => {
    const partner = await queries.lockPartner(db, partnerId)
    if (!partner) throw noSuchPartner()

    const settings = next(partner.settings)
    const { before, after } = differences(partner.settings, settings)
    queries.saveSettings(db, partnerId, settings)
    recordAudit(db, { at: ctx.clock.now(), actor, action, subject: `partner:${partnerId}`, before, after })
    raiseVersion(db)
    return { ...partner, settings }
  })
}

type Values = { readonly [name: string]: unknown }

/** Only what changed, within grouped settings too, so that an audit row is easy to read. */
function differences(one: PartnerSettings, other: PartnerSettings): { before: Values; after: Values } {
  const { features, rateLimits, terms, ...flat } = other
  const { before, after } = changedOf(withoutName(one), withoutName(flat))
  for (const [name, group] of Object.entries({ features, rateLimits, terms })) {
    const inside = changedOf(one[name as 'features' | 'rateLimits' | 'terms'], group)
    if (Object.keys(inside.after).length === 0) continue
    before[name] = inside.before
    after[name] = inside.after
  }
  return { before, after }
}

/** The audit is kept for ever: of the address it has what does not name a person. */
const withoutName = <T extends { contactEmail: string | null }>(settings: T): T => ({
  ...settings,
  contactEmail: settings.contactEmail?.replace(/^.*@/, '...@') ?? null,
})

function changedOf(one: Values, other: Values): Record<'before' | 'after', { [name: string]: unknown }> {
  const names = Object.keys(other).filter((name) => !isDeepStrictEqual(one[name], other[name]))
  const pick = (values: Values) => Object.fromEntries(names.map((name) => [name, values[name]]))
  return { before: pick(one), after: pick(other) }
}
