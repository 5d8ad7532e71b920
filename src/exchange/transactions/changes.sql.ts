import type { Db } from '../../platform/db/sql.ts'

/** When these transactions changed last, by the ids that customers see. */
export const lastChanges = (db: Db, publicIds: bigint[]): Promise<{ public_id: bigint; updated_at: Date }[]> =>
  db.sql`select public_id, updated_at from transactions where public_id = any(${publicIds})`
