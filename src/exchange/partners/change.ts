import { isDeepStrictEqual } from 'node:util'

import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { badField, refuseNow } from '../../platform/lib/refusal.ts'
import { noSuchPartner } from './find.ts'
import type { Partner } from './partner.ts'
import { readName } from './create.ts'
import * as queries from './partners.sql.ts'
import { readChanges } from './setting-text.ts'
import { featureNames, isFeature, merged, type PartnerSettings } from './settings.ts'

/**
 * Changes the name and settings of a partner account by their names on the command line (`name`, `slippage_percent`, `fees`, ...):
 * `texts` has a value for each, the file's contents where `isFileSetting` says so. All of them or none. In force everywhere within two
 * seconds. Refuses unknown names, values that cannot be read, and an unknown partner.
 */
export async function setPartner(
  ctx: Ctx,
  partnerId: bigint,
  texts: Readonly<Record<string, string>>,
  actor: string,
): Promise<Partner> {
  const { name, ...others } = texts
  const newName = name === undefined ? undefined : readName(name)
  const changes = newName === undefined || Object.keys(others).length > 0 ? readChanges(others) : []
  return change(ctx, partnerId, actor, 'partner.changed', ({ settings, ...partner }) => {
    const changed = changes.reduce(merged, settings)
    if (changed.signing !== 'off' && changed.signingKey === null) {
      throw badField('signing_key', 'Signing needs signing_key=FILE, the public key of the partner.')
    }
    const unsigned = ['calculator_v1', 'unsigned_presets'].find((name) => texts[name]?.trim() === 'on')
    if (unsigned !== undefined && changed.signing !== 'off') {
      throw badField(unsigned, `${unsigned} cannot be on while signing is on.`)
    }
    return { ...partner, name: newName ?? partner.name, settings: changed }
  })
}

/**
 * Disables a partner account, or enables it again: its keys are valid nowhere, in every process within two seconds, and its people
 * cannot use the portal. What its customers began continues, and its webhooks are sent. Refuses what changes nothing.
 */
export function switchPartner(
  ctx: Ctx,
  partnerId: bigint,
  { isDisabled, reason }: { isDisabled: boolean; reason?: string | undefined },
  actor: string,
): Promise<Partner> {
  const work = (partner: Partner): Partner => {
    refuseNow(whyNotSwitched(partner, isDisabled))
    return { ...partner, disabledAt: isDisabled ? ctx.clock.now() : null }
  }
  return change(ctx, partnerId, actor, isDisabled ? 'partner.disabled' : 'partner.enabled', work, reason)
}

/** Why a partner account cannot be disabled, or enabled; undefined: it can. */
export const whyNotSwitched = ({ disabledAt }: Partner, isDisabled: boolean): string | undefined =>
  (disabledAt !== null) === isDisabled
    ? `This partner is ${isDisabled ? 'disabled already' : 'not disabled'}.`
    : undefined

/** Switches one feature on or off. Refuses an unknown name and an unknown partner. */
export async function switchFeature(
  ctx: Ctx,
  partnerId: bigint,
  { feature, on }: { feature: string; on: boolean },
  actor: string,
): Promise<Partner> {
  if (!isFeature(feature)) throw badField('feature', `There is no such feature; there are ${featureNames.join(', ')}.`)

  const features = { [feature]: on }
  return change(ctx, partnerId, actor, `feature.switched_${on ? 'on' : 'off'}`, (partner) => ({
    ...partner,
    settings: merged(partner.settings, { features }),
  }))
}

async function change(
  ctx: Ctx,
  partnerId: bigint,
  actor: string,
  action: AuditAction,
  next: (partner: Partner) => Partner,
  reason?: string,
): Promise<Partner> {
  return ctx.db.atomic(async (db) => {
    const partner = await queries.lockPartner(db, partnerId)
    if (!partner) throw noSuchPartner()

    const changed = next(partner)
    const { before, after } = differences(partner.settings, changed.settings)
    if (changed.name !== partner.name) {
      before.name = partner.name
      after.name = changed.name
    }
    if (changed.disabledAt !== partner.disabledAt) {
      before.disabledAt = partner.disabledAt?.toISOString() ?? null
      after.disabledAt = changed.disabledAt?.toISOString() ?? null
    }
    if (reason !== undefined) after.reason = reason
    queries.savePartner(db, changed)
    recordAudit(db, { at: ctx.clock.now(), actor, action, subject: `partner:${partnerId}`, before, after })
    raiseVersion(db)
    return changed
  })
}

type Values = { [name: string]: unknown }

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

function changedOf(one: Readonly<Values>, other: Readonly<Values>): Record<'before' | 'after', Values> {
  const names = Object.keys(other).filter((name) => !isDeepStrictEqual(one[name], other[name]))
  const pick = (values: Readonly<Values>) => Object.fromEntries(names.map((name) => [name, values[name]]))
  return { before: pick(one), after: pick(other) }
}
