import type { Atomic, Database } from './sql.ts'

/** The database, whose first block that commits does something else, too, before its own work. */
export function withFirst(db: Database, first: (block: Atomic) => Promise<void>): { db: Database; isDone(): boolean } {
  let isDone = false
  const using: Database = {
    sql: (strings, ...values) => db.sql(strings, ...values),
    close: () => db.close(),
    atomic: async (work) => {
      if (isDone) return db.atomic(work)
      const result = await db.atomic(async (block) => {
        await first(block)
        return work(block)
      })
      isDone = true
      return result
    },
  }
  return { db: using, isDone: () => isDone }
}
