import { type Db, one } from './sql.ts'

/** Hands out ids for rows that refer to each other inside one atomic block. Unique, roughly rising, never shown to anyone. */
export type RowIds = { next(): Promise<bigint> }

const blockSize = 1_000n

/** Takes ids from the database a thousand at a time; what a process has not used when it ends is never used. */
export function openRowIds(db: Db): RowIds {
  let at = 0n
  let end = 0n
  let refill: Promise<void> | undefined

  async function takeBlock(): Promise<void> {
    const { id } = one(await db.sql<{ id: bigint }>`select nextval('row_ids') as id`)
    at = id
    end = id + blockSize
  }

  return {
    next: async () => {
      while (at >= end) {
        refill ??= takeBlock().finally(() => {
          refill = undefined
        })
        await refill
      }
      const id = at
      at += 1n
      return id
    },
  }
}
