import { changeKey, createKey, listKeys, revokeKey } from '../../exchange/partners/keys.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import type { ApiKey } from '../../exchange/partners/partner.ts'
import type { Answer, Given } from './command.ts'
import { layOut } from './layout.ts'
import { idOf, partnerIdOf } from './read-id.ts'
import { withActor } from './who.ts'

/** Makes a key, and shows its text. */
export const create = (given: Given): Promise<Answer> => {
  const { kind, label = '', 'allow-ip': allowIp = '', expires } = given.flags
  const wanted = {
    partnerId: partnerIdOf(given),
    kind: kind === 'public' ? ('public' as const) : ('secret' as const),
    label,
    allowIps: listed(allowIp),
    expires,
  }
  return withActor(given, async (ctx, who) => {
    const { key, text } = await createKey(ctx, wanted, who)
    const json = { id: String(key.id), kind: key.kind, key: text }
    return { json, text: `${layOut(json)}\n\nKeep it: it is not shown again.` }
  })
}

/** Changes what a key may be used for, and shows it. */
export const set = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  const { label, 'allow-ip': allowIp, expires } = given.flags
  const change = { label, allowIps: allowIp === undefined ? undefined : listed(allowIp), expires }
  return withActor(given, async (ctx, who) => ({ json: shown(await changeKey(ctx, id, change, who)) }))
}

/** Addresses and blocks with commas between them; `any`, and nothing at all, is none. */
const listed = (text: string): string[] => (text === '' || text === 'any' ? [] : text.split(','))

/** Lists a partner's keys. */
export const list = (given: Given): Promise<Answer> => {
  const partnerId = partnerIdOf(given)
  return given.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listKeys(ctx, partnerId)).map(shown) }
  })
}

/** Ends a key's life, and shows it. */
export const revoke = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  return withActor(given, async (ctx, who) => ({ json: shown(await revokeKey(ctx, id, who)) }))
}

const shown = ({ id, kind, mode, hint, label, allowIps, createdAt, expiresAt, lastUsedAt, revokedAt }: ApiKey) => ({
  id: String(id),
  kind,
  mode,
  ends_in: hint,
  label,
  allow_ips: allowIps,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
  last_used_at: lastUsedAt?.toISOString() ?? null,
  revoked_at: revokedAt?.toISOString() ?? null,
})
