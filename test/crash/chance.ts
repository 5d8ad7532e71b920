/** Chance that can be had again: the same seed gives the same numbers. */
export type Chance = {
  /** From 0 up to, not including, 1. */
  number(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

/** Opens the numbers of a seed (mulberry32). */
export function openChance(seed: number): Chance {
  let state = Math.trunc(seed)
  const number = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (least: number, most: number): number => least + Math.floor(number() * (most - least + 1))
  return { number, between, pick: (items) => items[between(0, items.length - 1)] ?? items[0] }
}
