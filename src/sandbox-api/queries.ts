import { type Db, one } from '../db/sql.ts'

/** Raises the stored offset of business time, never lowers it, and tells every process that it has changed. */
export const raiseOffset = async (db: Db, offsetMs: bigint): Promise<bigint> =>
  one(
    await db.sql<{ clock_offset_ms: bigint }>`
      update service_state set clock_offset_ms = greatest(clock_offset_ms, ${offsetMs}), version = version + 1
      returning clock_offset_ms`,
  ).clock_offset_ms
