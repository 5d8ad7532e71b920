import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { readAllowIp } from './allow-list.ts'
import { noSuchPartner } from './find.ts'
import { hashKeyText, makeKeyText } from './key-text.ts'
import type { ApiKey, KeyKind } from './partner.ts'
import * as queries from './partners.sql.ts'

/** What a new key is to be. */
export type NewKey = {
  partnerId: bigint
  kind: KeyKind
  label?: string
  allowIps?: readonly string[]
  expires?: Date | 'never' | undefined
}

/** What changes of a key; what is left out stays. No addresses at all is anywhere, and `never` takes a key's end away. */
export type KeyChange = {
  label?: string | undefined
  allowIps?: readonly string[] | undefined
  expires?: Date | 'never' | undefined
}

const mostAllowIps = 100

/** Makes a key, in memory only: its text, its hash, and the rest. Its mode is the service's own. */
export function makeKey(
  { config, clock }: Pick<Ctx, 'config' | 'clock'>,
  {
    partnerId,
    kind,
    label = '',
    allowIps = [],
    expiresAt = null,
  }: Omit<NewKey, 'expires'> & { expiresAt?: Date | null },
): { text: string; hash: string; key: ApiKey } {
  const mode = config.environment.keyMode
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
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
  }
  return { text, hash: hashKeyText(text), key }
}

/**
 * Creates another key for a partner, valid alongside the existing ones, so that keys rotate with overlap. `text` is returned only
 * here. Refuses an unknown partner, a label over 100 characters, an invalid allow-list, and an expiry that has passed.
 */
export async function createKey(ctx: Ctx, wanted: NewKey, actor: string): Promise<{ key: ApiKey; text: string }> {
  const { text, hash, key } = makeKey(ctx, { ...wanted, ...readChange(ctx, wanted) })
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

/** A key by its id, revoked or not; undefined for an unknown id. */
export const findKey = ({ db }: Pick<Ctx, 'db'>, keyId: bigint): Promise<ApiKey | undefined> => queries.keyOf(db, keyId)

/** Ends a key's life; in every process within two seconds. Refuses an unknown id, and a key that is revoked (CONFLICT). */
export async function revokeKey(ctx: Ctx, keyId: bigint, actor: string): Promise<ApiKey> {
  return ctx.db.atomic(async (db) => {
    const key = await queries.lockKey(db, keyId)
    if (!key) throw noSuchKey()
    refuseNow(whyNotChanged(key))

    const revoked = { ...key, revokedAt: ctx.clock.now() }
    queries.revoke(db, keyId, revoked.revokedAt)
    record(ctx, db, { actor, action: 'key.revoked', key, before: shown(key), after: shown(revoked) })
    return revoked
  })
}

/**
 * Changes what a key may be used for, without another text: in every process within two seconds. Refuses an unknown id, a key
 * that is revoked (CONFLICT), nothing to change, and whatever `createKey` refuses.
 */
export async function changeKey(ctx: Ctx, keyId: bigint, change: KeyChange, actor: string): Promise<ApiKey> {
  const wanted = readChange(ctx, change)
  if (Object.keys(wanted).length === 0) throw new Refusal('BAD_REQUEST', 'Nothing to change was named.')
  return ctx.db.atomic(async (db) => {
    const key = await queries.lockKey(db, keyId)
    if (!key) throw noSuchKey()
    refuseNow(whyNotChanged(key))

    const changed = { ...key, ...wanted }
    queries.saveKey(db, changed)
    record(ctx, db, { actor, action: 'key.changed', key, before: shown(key), after: shown(changed) })
    return changed
  })
}

/** Why a key cannot be changed or revoked any more; undefined: it can. */
export const whyNotChanged = ({ revokedAt }: Pick<ApiKey, 'revokedAt'>): string | undefined =>
  revokedAt ? 'This key has been revoked. Create a new one.' : undefined

function readChange(
  { clock }: Pick<Ctx, 'clock'>,
  { label, allowIps, expires }: KeyChange,
): Partial<Pick<ApiKey, 'label' | 'allowIps' | 'expiresAt'>> {
  if ((label ?? '').length > 100) throw badField('label', 'A label has at most 100 characters.')
  if ((allowIps ?? []).length > mostAllowIps) {
    throw badField('allow_ips', `An allow-list has at most ${mostAllowIps} addresses and blocks.`)
  }
  return {
    ...(label === undefined ? {} : { label }),
    ...(allowIps === undefined ? {} : { allowIps: allowIps.map(readAllowIp) }),
    ...(expires === undefined ? {} : { expiresAt: expires === 'never' ? null : ahead(clock.realNow(), expires) }),
  }
}

function ahead(now: Date, at: Date): Date {
  if (at <= now) throw badField('expires', 'expires: must be ahead; to end a key now, revoke it.')
  return at
}

const noSuchKey = (): Refusal => new Refusal('NOT_FOUND', 'There is no such key.')

type AuditedKeyChange = { actor: string; action: AuditAction; key: ApiKey; before: object | null; after: object }

function record(
  ctx: Ctx,
  db: Parameters<typeof recordAudit>[0],
  { actor, action, key, before, after }: AuditedKeyChange,
): void {
  const subject = `key:${key.id}` as const
  recordAudit(db, { at: ctx.clock.now(), actor, action, subject, before: before && { ...before }, after: { ...after } })
  raiseVersion(db)
}

const shown = ({ partnerId, kind, hint, label, allowIps, expiresAt, revokedAt }: ApiKey) => ({
  partner_id: String(partnerId),
  kind,
  hint,
  label,
  allow_ips: allowIps,
  expires_at: expiresAt?.toISOString() ?? null,
  revoked_at: revokedAt?.toISOString() ?? null,
})
