import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { ledgerKeyPlace } from '../ledger/ledger-keys.ts'
import { totpPlace } from '../approvals/people.ts'
import { outcomePlace } from '../sign-in/once.ts'
import { previousWidgetPlace, webhookPlace, widgetPlace } from '../partners/secrets.ts'
import { previousSecretPlace, secretPlace } from '../webhooks/endpoint.ts'
import { templateOf } from '../../platform/db/rows.ts'
import type { Database } from '../../platform/db/sql.ts'
import { loadSecrets } from '../../platform/privacy/master-key.ts'
import { beginRotation, endRotation, learnMasterKeys } from '../../platform/privacy/master-keys.ts'
import { isNewest, keyPlace, type KeyRing, seal, unseal } from '../../platform/privacy/seal.ts'

/** What a call of `rotateMaster` did. `ended`: only the new file opens the exchange from now on. */
export type Rotated = { reEncrypted: Record<string, number>; ended: boolean }

/** How long every process may take to learn a new key: they look every second. In real milliseconds. */
export const learnMs = 4_000

/**
 * Rotates the master key to that of `newFile`, which is created if it is not there. Everything that the old key has encrypted is encrypted
 * again, in batches, while the exchange works; interrupted, it continues at the next call. Called with the new file as the exchange's own,
 * it ends the rotation: the old file opens nothing any more. Audited. Refuses a key that was used before (CONFLICT).
 */
export async function rotateMaster(ctx: Ctx, newFile: string, actor: string): Promise<Rotated> {
  const next = await loadSecrets(newFile, !existsSync(newFile))
  const isOwn = next.mark.equals(ctx.secrets.mark)
  if (!isOwn) {
    const at = ctx.clock.now()
    await ctx.db.atomic(async (db) => {
      await beginRotation(db, ctx.secrets, next, at)
      recordAudit(db, { at, actor, action: 'master_key.rotated', subject: 'master_key', before: null, after: {} })
    })
    await learnMasterKeys(ctx.db, ctx.secrets)
    await wait(learnMs)
  }
  const reEncrypted: Record<string, number> = {}
  for (const sealed of sealedColumns(ctx)) {
    const name = `${sealed.table}.${sealed.column}`
    reEncrypted[name] = await sealAgain(ctx.db, sealed)
  }
  if (isOwn) await endRotation(ctx.db)
  return { reEncrypted, ended: isOwn }
}

/** A column that is encrypted with the master key. */
type SealedColumn = { table: string; column: string; ring: KeyRing; placeOf(id: bigint): string }

const sealedColumns = ({ secrets: { wrapping, sealing } }: Ctx): SealedColumn[] => [
  { table: 'data_keys', column: 'wrapped', ring: wrapping, placeOf: () => keyPlace },
  { table: 'partners', column: 'widget_secret', ring: sealing, placeOf: widgetPlace },
  { table: 'partners', column: 'previous_widget_secret', ring: sealing, placeOf: previousWidgetPlace },
  { table: 'partners', column: 'webhook_secret', ring: sealing, placeOf: webhookPlace },
  { table: 'webhook_endpoints', column: 'secret', ring: sealing, placeOf: secretPlace },
  { table: 'webhook_endpoints', column: 'previous_secret', ring: sealing, placeOf: previousSecretPlace },
  { table: 'ledger_keys', column: 'sealed', ring: sealing, placeOf: ledgerKeyPlace },
  { table: 'operators', column: 'totp_secret', ring: sealing, placeOf: totpPlace },
  { table: 'used_forms', column: 'outcome', ring: sealing, placeOf: outcomePlace },
]

const batch = 1_000

/** Encrypts a column with the newest key where it is not yet. What changes meanwhile was encrypted by who changed it. */
async function sealAgain(db: Database, { table, column, ring, placeOf }: SealedColumn): Promise<number> {
  const read = templateOf(
    `select id::bigint, ${column} as sealed from ${table} where ${column} is not null and id > ? order by id limit ${batch}`,
  )
  const write = templateOf(
    `update ${table} set ${column} = fresh.sealed from unnest(?::bigint[], ?::bytea[], ?::bytea[]) as fresh (id, was, sealed)
     where ${table}.id = fresh.id and ${table}.${column} = fresh.was returning ${table}.id`,
  )
  let [last, count] = [-1n, 0]
  for (;;) {
    const rows = await db.sql<{ id: bigint; sealed: Buffer }>(read, last)
    const old = rows.filter(({ id, sealed }) => !isNewest(ring, sealed, placeOf(id)))
    if (old.length > 0) {
      const again = old.map(({ id, sealed }) => seal(ring, unseal(ring, sealed, placeOf(id)), placeOf(id)))
      const written = await db.sql(
        write,
        old.map(({ id }) => id),
        old.map(({ sealed }) => sealed),
        again,
      )
      count += written.length
    }
    const end = rows.at(-1)
    if (!end) return count
    last = end.id
  }
}
