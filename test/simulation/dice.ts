/** Chance that a seed decides: the same seed gives the same throws, on every machine. */
export type Dice = {
  /** A whole number from 0 up to, and not with, `count`. */
  below(count: number): number
  /** True in so many cases of a hundred. */
  chance(percent: number): boolean
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T
  /** One of those things, each as often as its weight says beside the others'. */
  weigh<T extends { weight: number }>(things: readonly T[]): T
}

/** Throws by Mulberry32 (Tommy Ettinger, public domain): 32 bits of state, which is enough to choose by. */
export function openDice(seed: number): Dice {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (count: number): number => next() % count
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('There is nothing to pick from.')
    return list[below(list.length)] as T
  }
  return {
    below,
    pick,
    chance: (percent) => below(100) < percent,
    weigh: (things) => {
      let left = below(things.reduce((sum, { weight }) => sum + weight, 0))
      for (const thing of things) {
        if (left < thing.weight) return thing
        left -= thing.weight
      }
      return pick(things)
    },
  }
}
