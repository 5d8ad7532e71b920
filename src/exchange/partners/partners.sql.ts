import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import type { ApiKey, Partner } from './partner.ts'
import { readSettings, type GivenSettings } from './settings.ts'

type PartnerRow = {
  id: bigint
  name: string
  settings: GivenSettings
  created_at: Date
  disabled_at: Date | null
  volume_cents: bigint
}

type KeyRow = {
  id: bigint
  partner_id: bigint
  kind: 'public' | 'secret'
  mode: 'test' | 'live'
  hint: string
  label: string
  allow_ips: string[]
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}

const toPartner = ({ id, name, settings, ...row }: PartnerRow): Partner => ({
  id,
  name,
  settings: readSettings(settings),
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
  volumeCents: row.volume_cents,
})

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  partnerId: row.partner_id,
  kind: row.kind,
  mode: row.mode,
  hint: row.hint,
  label: row.label,
  allowIps: row.allow_ips,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
})

/** A partner's secrets as they are stored: sealed. */
export type SealedSecrets = { widget_secret: Buffer; webhook_secret: Buffer }

/** Adds a partner; its settings are stored whole. */
export const insertPartner = (db: Atomic, { id, name, settings, createdAt }: Partner, secrets: SealedSecrets): void =>
  db.send`
    insert into partners (id, name, settings, widget_secret, webhook_secret, created_at)
    values (${id}, ${name}, ${settings}, ${secrets.widget_secret}, ${secrets.webhook_secret}, ${createdAt})`

/** Adds a key under the hash of its text. */
export const insertKey = (db: Atomic, key: ApiKey, hash: string): void =>
  db.send`
    insert into api_keys (id, partner_id, kind, mode, hash, hint, label, allow_ips, created_at, expires_at)
    values (${key.id}, ${key.partnerId}, ${key.kind}, ${key.mode}, ${Buffer.from(hash, 'hex')}, ${key.hint},
      ${key.label}, ${key.allowIps}, ${key.createdAt}, ${key.expiresAt})`

/** Every partner, oldest first. */
export const partners = async (db: Db): Promise<Partner[]> =>
  (
    await db.sql<PartnerRow>`select id, name, settings, created_at, disabled_at, volume_cents from partners order by created_at, id`
  ).map(toPartner)

export const partner = async (db: Db, id: bigint): Promise<Partner | undefined> =>
  (
    await db.sql<PartnerRow>`select id, name, settings, created_at, disabled_at, volume_cents from partners where id = ${id}`
  ).map(toPartner)[0]

/** The same, locked until the block ends, for a change that depends on what is there. */
export const lockPartner = async (db: Atomic, id: bigint): Promise<Partner | undefined> =>
  (
    await db.sql<PartnerRow>`select id, name, settings, created_at, disabled_at, volume_cents from partners where id = ${id} for update`
  ).map(toPartner)[0]

/** Replaces what may change of a partner. */
export const savePartner = (db: Atomic, { id, name, settings, disabledAt }: Partner): void =>
  db.send`update partners set name = ${name}, settings = ${settings}, disabled_at = ${disabledAt} where id = ${id}`

/** A partner's sealed secrets. */
export const sealedSecrets = async (db: Db, id: bigint): Promise<SealedSecrets> =>
  one(await db.sql<SealedSecrets>`select widget_secret, webhook_secret from partners where id = ${id}`)

/** A partner's sealed widget secret; the partner is locked until the block ends. */
export const lockWidgetSecret = async (db: Atomic, id: bigint): Promise<Buffer | undefined> => {
  const [row] = await db.sql<{ widget_secret: Buffer }>`select widget_secret from partners where id = ${id} for update`
  return row?.widget_secret
}

/** The sealed widget secrets that are accepted at a time, the newest first; the second is absent where there is none. */
export const widgetSecrets = async (db: Db, id: bigint, now: Date): Promise<[Buffer, Buffer | null]> => {
  const { secret, previous } = one(
    await db.sql<{ secret: Buffer; previous: Buffer | null }>`
      select widget_secret as secret, case when previous_widget_until > ${now} then previous_widget_secret end as previous
      from partners where id = ${id}`,
  )
  return [secret, previous]
}

/** Replaces a partner's widget secret. */
export const saveWidgetSecret = (
  db: Atomic,
  id: bigint,
  { secret, previous, until }: { secret: Buffer; previous: Buffer; until: Date },
): void =>
  db.send`
    update partners set widget_secret = ${secret}, previous_widget_secret = ${previous}, previous_widget_until = ${until}
    where id = ${id}`

/** Every key of a partner, revoked ones too, oldest first. */
export const keysOf = async (db: Db, partnerId: bigint): Promise<ApiKey[]> =>
  (
    await db.sql<KeyRow>`
      select id, partner_id, kind, mode, hint, label, allow_ips, created_at, expires_at, last_used_at, revoked_at
      from api_keys where partner_id = ${partnerId} order by created_at, id`
  ).map(toKey)

export const keyOf = async (db: Db, id: bigint): Promise<ApiKey | undefined> =>
  (
    await db.sql<KeyRow>`
      select id, partner_id, kind, mode, hint, label, allow_ips, created_at, expires_at, last_used_at, revoked_at
      from api_keys where id = ${id}`
  ).map(toKey)[0]

/** One key, locked until the block ends. */
export const lockKey = async (db: Atomic, id: bigint): Promise<ApiKey | undefined> =>
  (
    await db.sql<KeyRow>`
      select id, partner_id, kind, mode, hint, label, allow_ips, created_at, expires_at, last_used_at, revoked_at
      from api_keys where id = ${id} for update`
  ).map(toKey)[0]

/** Writes what may change of a key while it lives. */
export const saveKey = (db: Atomic, { id, label, allowIps, expiresAt }: ApiKey): void =>
  db.send`update api_keys set label = ${label}, allow_ips = ${allowIps}, expires_at = ${expiresAt} where id = ${id}`

/** Ends a key's life. */
export const revoke = (db: Atomic, id: bigint, at: Date): void =>
  db.send`update api_keys set revoked_at = ${at} where id = ${id}`

/** The key with this hash and its partner, unless it is revoked, of another mode, or of a disabled account; its time may be over. */
export async function liveKey(
  db: Db,
  hash: string,
  mode: string,
): Promise<{ partner: Partner; key: ApiKey } | undefined> {
  const [row] = await db.sql<KeyRow & Omit<PartnerRow, 'id' | 'disabled_at'> & { partner_created_at: Date }>`
    select k.id, k.partner_id, k.kind, k.mode, k.hint, k.label, k.allow_ips, k.created_at, k.expires_at, k.last_used_at,
      k.revoked_at,
      p.name, p.settings, p.created_at as partner_created_at, p.volume_cents
    from api_keys k join partners p on p.id = k.partner_id
    where k.hash = ${Buffer.from(hash, 'hex')} and k.mode = ${mode} and k.revoked_at is null
      and p.disabled_at is null`
  if (!row) return undefined
  const { name, settings, partner_created_at: createdAt, volume_cents: volume } = row
  return {
    key: toKey(row),
    partner: toPartner({
      id: row.partner_id,
      name,
      settings,
      created_at: createdAt,
      disabled_at: null,
      volume_cents: volume,
    }),
  }
}

/** Notes when keys were last used. */
export const noteUses = async (db: Db, ids: bigint[], at: Date): Promise<void> => {
  await db.sql`update api_keys set last_used_at = ${at} where id = any(${ids})`
}
