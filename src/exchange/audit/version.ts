import { type Atomic, type Db, one } from '../../platform/db/sql.ts'

/**
 * Invalidates what processes keep in memory (partners, keys, features, endpoints). The version rises in the same atomic block
 * as the change; processes reload when they see a new one.
 */
export const raiseVersion = (db: Atomic): void => db.send`update service_state set version = version + 1`

export const readVersion = async (db: Db): Promise<bigint> =>
  one(await db.sql<{ version: bigint }>`select version from service_state`).version

/** The version, and how far business time is ahead of real time. */
export async function readShared(db: Db): Promise<{ version: bigint; offsetMs: number }> {
  const rows = await db.sql<{ version: bigint; offset: bigint }>`
    select version, clock_offset_ms as "offset" from service_state`
  const { version, offset } = one(rows)
  return { version, offsetMs: Number.parseInt(String(offset), 10) }
}
