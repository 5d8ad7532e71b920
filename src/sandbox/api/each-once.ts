import type { Ctx } from '../../exchange/context.ts'
import type { Journal } from '../../platform/db/journal.ts'
import { on } from '../../platform/db/within.ts'
import type { World } from '../rails.ts'
import { NotYet, type Scene, type AnyRecord } from '../scenarios/step.ts'
import { steps, type StepName } from '../scenarios/steps.ts'

/** How a player waits for what a step needs: until a record is as wanted, and until business time has come to a moment. */
export type Patience = {
  until(isReached: (record: AnyRecord) => boolean): Promise<AnyRecord>
  moment(at: Date): Promise<void>
}

/** Whose transaction is played, and in which scenario. */
export type Cast = Pick<Scene, 'partnerId' | 'publicId' | 'name'>

/**
 * Plays steps one after the other. Begun again after its process has died, it continues at the step that was not over, and what that
 * one has changed already is not changed again: a step is written down in the block of its change.
 */
export async function eachOnce(
  { ctx, world, journal, patience }: { ctx: Ctx; world: World; journal: Journal; patience: Patience },
  names: readonly StepName[],
  cast: Cast,
): Promise<void> {
  let kept: string | null = null
  for (const [index, stepName] of names.entries()) {
    const name = `${index} ${stepName}`
    const step = steps[stepName]
    const isDone = await journal.isDone(name)
    const record = await patience.until((seen) => isDone || (step.ready?.(seen) ?? true))
    if (step.moment && !isDone) await patience.moment(step.moment(record))
    const change = async (): Promise<string | null> =>
      journal.once(name, async (db) => {
        const given = await step.change?.({
          ...cast,
          ctx: on(ctx, db),
          world: on(world, db),
          sharedCtx: ctx,
          record,
          kept,
        })
        return typeof given === 'string' ? given : null
      })
    kept = (await whenPossible(change, patience)) ?? kept
  }
}

/** Tries again what is not possible yet, after another look. */
async function whenPossible<Given>(change: () => Promise<Given>, patience: Patience): Promise<Given> {
  let given: { is: Given } | undefined
  let left = mostTries
  while (!given) {
    try {
      given = { is: await change() }
    } catch (error) {
      if (!(error instanceof NotYet) || (left -= 1) < 0) throw error
      let looks = 0
      await patience.until(() => (looks += 1) > 1)
    }
  }
  return given.is
}

/** Each after a tenth of a second. */
const mostTries = 600
