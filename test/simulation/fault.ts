import type { Dice } from './dice.ts'

/**
 * What goes wrong during a step, at one of its statements. `cut`: the connection breaks. `die`: the whole process ends, and
 * everything that it knew is gone. Each before the statement reaches the database, or after it was carried out and before its
 * answer came. The other two are what a database says of blocks that got into each other's way.
 */
export type Fault = {
  kind: 'cut before' | 'cut after' | 'die before' | 'die after' | '40001' | '40P01'
  /** At which statement of the step, counted from 1. A step with fewer goes well. */
  at: number
}

const kinds: readonly { kind: Fault['kind']; weight: number }[] = [
  { kind: 'cut before', weight: 3 },
  { kind: 'cut after', weight: 3 },
  { kind: 'die before', weight: 2 },
  { kind: 'die after', weight: 2 },
  { kind: '40001', weight: 2 },
  { kind: '40P01', weight: 1 },
]

/** A fault somewhere among the first statements of a step: most steps have fewer than twenty. */
export const drawFault = (dice: Dice): Fault => ({
  kind: dice.weigh(kinds).kind,
  at: 1 + dice.below(dice.chance(50) ? 8 : 24),
})
