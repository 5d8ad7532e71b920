import { type Atomic, type Db, one } from '../../platform/db/sql.ts'

/**
 * Invalidates what processes keep in memory (partners, keys, features, endpoints). The version rises in the same atomic block
 * as the change; processes reload when they see a new one.
 */
export const raiseVersion = (db: Atomic): void => db.send`update service_state set version = version + 1`

export const readVersion = async (db: Db): Promise<bigint> =>
  one(await db.sql<{ version: bigint }>`select version from service_state`).version

/** The version, how far business time is ahead of real time, where it may be, and the database's time. */
export async function readShared({
  db,
  config,
}: {
  db: Db
  config: { environment: { movesTime: boolean } }
}): Promise<{ version: bigint; offsetMs: number; at: Date }> {
  const rows = await db.sql<{ version: bigint; offset: bigint; at: Date }>`
    select version, clock_offset_ms as "offset", clock_timestamp() as at from service_state`
  const { version, offset, at } = one(rows)
  return { version, offsetMs: config.environment.movesTime ? Number.parseInt(String(offset), 10) : 0, at }
}
