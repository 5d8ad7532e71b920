import type { Atomic, Db } from '../../platform/db/sql.ts'
import * as queries from './queries.ts'

/**
 * Tells every running process that something it keeps in memory has changed (partners, keys, features, endpoints): the
 * version rises in the same atomic block as the change, and processes that see a new one read afresh.
 */
export const raiseVersion = (db: Atomic): void => queries.raiseVersion(db)

/** The version now: what a process compares with the one it knows. */
export const readVersion = (db: Db): Promise<bigint> => queries.version(db)

/** The version, and how far business time is ahead of real time: what processes share. */
export async function readShared(db: Db): Promise<{ version: bigint; offsetMs: number }> {
  const { version, clock_offset_ms: offset } = await queries.shared(db)
  return { version, offsetMs: Number.parseInt(String(offset), 10) }
}
