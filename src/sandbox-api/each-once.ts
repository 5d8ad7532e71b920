import type { Ctx } from '../context.ts'
import type { Journal } from '../db/journal.ts'
import { on } from '../db/within.ts'
import type { World } from '../rails/sandbox.ts'

/**
 * Does what a step changes, once, in one block: `ctx` and `world` are to be used in place of the caller's. `first` waits for what
 * must be there before; it is not waited for again when the change was made.
 */
export type Act = (change: (ctx: Ctx, world: World) => Promise<unknown>, first?: () => Promise<void>) => Promise<void>

/**
 * Plays steps one after the other. Begun again after its process has died, it goes on at the step that was not over, and what that
 * one has changed already is not changed again; what it waits for is waited for.
 */
export async function eachOnce<Step extends string>(
  { ctx, world, journal }: { ctx: Ctx; world: World; journal: Journal },
  steps: readonly Step[],
  play: (step: Step, act: Act) => Promise<void>,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const [change, over] = [`${index} ${step}: changed`, `${index} ${step}: over`]
    const act: Act = async (work, first) => {
      if (first && !(await journal.isDone(change))) await first()
      await journal.once(change, async (db) => {
        await work(on(ctx, db), on(world, db))
        return null
      })
    }
    if (await journal.isDone(over)) continue
    await play(step, act)
    await journal.once(over, () => Promise.resolve(null))
  }
}
