import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'

class OnlyJudged extends Error {}

/** Runs the work of a block and undoes what it wrote: for what shall be judged as if it were done. Refuses what the work refuses. */
export async function judgeOnly({ db }: Pick<Ctx, 'db'>, work: (db: Atomic) => Promise<void>): Promise<void> {
  try {
    await db.atomic(async (block) => {
      await work(block)
      throw new OnlyJudged()
    })
  } catch (error) {
    if (!(error instanceof OnlyJudged)) throw error
  }
}
