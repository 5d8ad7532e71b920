import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { Deal, Stage } from './stage.ts'
import type { Worker } from './worker.ts'

/** Something that somebody may do. */
export type Action = {
  name: string
  /** How often, beside the others. */
  weight: number
  /** Whether there is anything to do it to. */
  isPossible(stage: Stage): boolean
  /**
   * Does it in a process. All that chance decides is decided before anything is waited for. Gives a word for the trace, with
   * nothing in it that another run of the same seed would have otherwise.
   */
  run(stage: Stage, worker: Worker): Promise<string>
}

/** An action on one transaction out of those that it suits: younger ones more often than old ones. */
export const onDeal = (
  name: string,
  weight: number,
  suits: (deal: Deal) => boolean,
  run: (stage: Stage, worker: Worker, deal: Deal) => Promise<string | void>,
): Action => ({
  name,
  weight,
  isPossible: ({ deals }) => deals.some(suits),
  run: async (stage, worker) => {
    const suitable = stage.deals.filter(suits)
    const recent = suitable.slice(-12)
    const any = stage.dice.pick(stage.dice.chance(85) ? recent : suitable)
    const deal = stage.focus && suits(stage.focus) ? stage.focus : any
    try {
      const word = await run(stage, worker, deal)
      return `#${deal.number}${word ? ` ${word}` : ''}`
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw new Error(`on transaction ${deal.publicId}, #${deal.number}`, { cause: error })
    }
  },
})
