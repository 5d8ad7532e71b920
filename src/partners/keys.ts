import { recordAudit } from '../audit/audit.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { randomId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import { readAllowIp } from './allow-list.ts'
import { noSuchPartner } from './find.ts'
import { hashKeyText, makeKeyText } from './key-text.ts'
import type { ApiKey, KeyKind } from './partner.ts'
import * as queries from './queries.ts'

/** What a new key is to be. */
export type NewKey = { partnerId: bigint; kind: KeyKind; label?: string; allowIps?: readonly string[] }

/** Makes a key, in memory only: its text, its hash, and the rest. Its mode is the service's own. */
export function makeKey(
  { config, clock }: Pick<Ctx, 'config' | 'clock'>,
  { partnerId, kind, label = '', allowIps = [] }: NewKey,
): { text: string; hash: string; key: ApiKey } {
  const mode = config.mode === 'live' ? 'live' : 'test'
  const text = makeKeyText(kind, mode)
  const key: ApiKey = {
    id: randomId(),
    partnerId,
    kind,
    mode,
    hint: text.slice(-4),
    label,
    allowIps,
    createdAt: clock.now(),
    lastUsedAt: null,
    revokedAt: null,
  }
  return { text, hash: hashKeyText(text), key }
}

/**
 * Makes one more key for a partner, valid beside those that are there (so keys rotate with overlap); `text` is shown this
 * once. Refuses an unknown partner, a label over 100 characters, and an entry of the allow-list that is no address or block.
 */
export async function createKey(ctx: Ctx, wanted: NewKey, actor: string): Promise<{ key: ApiKey; text: string }> {
  if ((wanted.label ?? '').length > 100) throw new Refusal('BAD_REQUEST', 'A label has at most 100 characters.')
  const allowIps = (wanted.allowIps ?? []).map(readAllowIp)

  const { text, hash, key } = makeKey(ctx, { ...wanted, allowIps })
  await ctx.db.atomic(async (db) => {
    const partner = await queries.lockPartner(db, wanted.partnerId)
    if (!partner) throw noSuchPartner()
    queries.insertKey(db, key, hash)
    record(ctx, db, { actor, action: 'key.created', key, before: null, after: shown(key) })
  })
  return { key, text }
}

/** Every key of a partner, revoked ones too, oldest first. */
export const listKeys = ({ db }: Pick<Ctx, 'db'>, partnerId: bigint): Promise<ApiKey[]> => queries.keysOf(db, partnerId)

/** Ends a key's life; in every process within two seconds. One that has ended already stays as it is. Refuses an unknown id. */
export async function revokeKey(ctx: Ctx, keyId: bigint, actor: string): Promise<ApiKey> {
  return ctx.db.atomic(async (db) => {
    const key = await queries.lockKey(db, keyId)
    if (!key) throw new Refusal('NOT_FOUND', 'There is no such key.')
    if (key.revokedAt) return key

    const revoked = { ...key, revokedAt: ctx.clock.now() }
    queries.revoke(db, keyId, revoked.revokedAt)
    record(ctx, db, { actor, action: 'key.revoked', key, before: shown(key), after: shown(revoked) })
    return revoked
  })
}

type Recorded = { actor: string; action: string; key: ApiKey; before: object | null; after: object }

function record(
  ctx: Ctx,
  db: Parameters<typeof recordAudit>[0],
  { actor, action, key, before, after }: Recorded,
): void {
  const subject = `key:${key.id}`
  recordAudit(db, { at: ctx.clock.now(), actor, action, subject, before: before && { ...before }, after: { ...after } })
  raiseVersion(db)
}

const shown = ({ partnerId, kind, hint, label, allowIps, revokedAt }: ApiKey) => ({
  partner_id: String(partnerId),
  kind,
  hint,
  label,
  allow_ips: allowIps,
  revoked_at: revokedAt?.toISOString() ?? null,
})
