import { detach } from './detach.ts'

/** `most` items a run, `lanes` concurrent runs, and whether a failed run may be repeated. */
export type GatherOptions = { most?: number; lanes?: number; mayRepeat?: (error: unknown) => boolean }

/**
 * Batches concurrent calls: items that arrive during a run go together in the next one, and a lone item runs at once. If a run
 * of several items fails, each is run alone, so that one bad item does not fail the others; unless `mayRepeat` says that the
 * failed run may have taken effect.
 */
export function gather<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { most = 64, lanes = 1, mayRepeat = () => true }: GatherOptions = {},
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  const waiting: Waiting[] = []
  let running = 0

  async function drain(): Promise<void> {
    running += 1
    // Items that arrive in this same turn of the event loop come along.
    await Promise.resolve()
    while (waiting.length > 0) await runTogether(waiting.splice(0, most))
    running -= 1
  }

  async function runTogether(group: Waiting[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1 || !mayRepeat(error)) for (const { reject } of group) reject(error)
      else await Promise.all(group.map((alone) => runTogether([alone])))
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (running < lanes) detach(drain())
    })
}
