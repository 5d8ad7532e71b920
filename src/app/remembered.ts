import { stopwatch } from '../platform/lib/clock.ts'

/** How long one answer of the database serves all readers, in real milliseconds. */
const freshForMs = 15_000

/** Shares one answer among all readers within `freshForMs`; failures are not kept. */
export function remembered<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: { answer: Promise<T>; age: () => number } | undefined
  return async () => {
    if (!asked || asked.age() > freshForMs) asked = { answer: ask(), age: stopwatch() }
    const mine = asked
    try {
      return await mine.answer
    } catch (error) {
      if (asked === mine) asked = undefined
      throw error
    }
  }
}
