import { detach } from './detach.ts'

/** The most items of one run, how many runs may be under way at once, and whether a run that failed may be repeated. */
export type GatherOptions = { most?: number; lanes?: number; mayRepeat?: (error: unknown) => boolean }

/**
 * Lets callers that come at the same time share one run: while a run is under way, further items gather, and go together
 * in the next one. Nobody waits for company: a lone item runs at once. If a run of several items fails, each is run
 * alone, so that one bad item harms no other; not after a failure of which `mayRepeat` says that the run may have happened
 * all the same.
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
