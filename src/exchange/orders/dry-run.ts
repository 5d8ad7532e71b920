import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'

class DryRun extends Error {}

/** Runs work in a block and rolls it back, to find out whether it would be refused. */
export async function dryRun({ db }: Pick<Ctx, 'db'>, work: (db: Atomic) => Promise<void>): Promise<void> {
  try {
    await db.atomic(async (block) => {
      await work(block)
      throw new DryRun()
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
}
