import { changeKey, createKey, listKeys, revokeKey } from '../../exchange/partners/keys.ts'
import { rotateLedger } from '../../exchange/operations/rotate-ledger.ts'
import { rotateMaster } from '../../exchange/operations/rotate-master.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { rotateWidgetSecret } from '../../exchange/partners/secrets.ts'
import type { ApiKey } from '../../exchange/partners/partner.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { idOf, partnerIdOf } from './read-id.ts'
import { durationOf } from './webhook.ts'
import { withActor } from './who.ts'

export const create = (input: Invocation): Promise<Answer> => {
  const { kind, label = '', 'allow-ip': allowIp = '', expires } = input.flags
  const wanted = {
    partnerId: partnerIdOf(input),
    kind: kind === 'public' ? ('public' as const) : ('secret' as const),
    label,
    allowIps: listed(allowIp),
    expires,
  }
  return withActor(input, 'partners.manage', async (ctx, who) => {
    const { key, text } = await createKey(ctx, wanted, who)
    const json = { id: String(key.id), kind: key.kind, key: text }
    return { json, text: `${layOut(json)}\n\nSave this key. It is not shown again.` }
  })
}

export const set = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  const { label, 'allow-ip': allowIp, expires } = input.flags
  const change = { label, allowIps: allowIp === undefined ? undefined : listed(allowIp), expires }
  return withActor(input, 'partners.manage', async (ctx, who) => ({
    json: shown(await changeKey(ctx, id, change, who)),
  }))
}

/** Addresses and blocks, comma-separated; `any` and the empty text allow all. */
const listed = (text: string): string[] => (text === '' || text === 'any' ? [] : text.split(','))

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listKeys(ctx, partnerId)).map(shown) }
  })
}

export const revoke = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withActor(input, 'partners.manage', async (ctx, who) => ({ json: shown(await revokeKey(ctx, id, who)) }))
}

/** Shows the new widget secret, once. */
export const rotateWidget = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  const { overlap } = input.flags
  const overlapMs = overlap === undefined ? undefined : durationOf(overlap)
  return withActor(input, 'partners.manage', async (ctx, actor) => {
    const { secret, previousUntil } = await rotateWidgetSecret(ctx, partnerId, { overlapMs, actor })
    const json = { widget_secret: secret, previous_secret_until: previousUntil.toISOString() }
    return { json, text: `${layOut(json)}\n\nSave this secret. It is not shown again.` }
  })
}

export const rotateLedgerKey = (input: Invocation): Promise<Answer> =>
  withActor(input, 'system.manage', async (ctx, actor) => {
    const json = await rotateLedger(ctx, actor)
    return { json, text: `Entries with a digest by the new key: ${json.entries}. The old key proves nothing any more.` }
  })

export const rotateMasterKey = (input: Invocation): Promise<Answer> => {
  const { 'new-file': file = '' } = input.flags
  return withActor(input, 'system.manage', async (ctx, actor) => {
    const { reEncrypted, ended } = await rotateMaster(ctx, file, actor)
    const json = { re_encrypted: reEncrypted, ended }
    const next = ended
      ? 'The rotation has ended: the old key opens nothing any more.'
      : `Set MASTER_KEY_FILE to ${file} in every process, start each again, and run this once more to end the old key.`
    return { json, text: `${layOut(json)}\n\n${next}` }
  })
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
