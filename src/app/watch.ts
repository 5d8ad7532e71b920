import { readShared } from '../exchange/audit/version.ts'
import type { Ctx } from '../exchange/context.ts'
import { sampleMarket } from '../exchange/pricing/market-speed.ts'
import { keepSighting } from '../exchange/operations/restore.ts'
import { stopwatch } from '../platform/lib/clock.ts'
import { detach } from '../platform/lib/detach.ts'

/** How often a process looks whether accounts, keys or the clock were changed elsewhere, in real milliseconds. */
const everyMs = 1_000
/** How often it notes what it has seen of the database. */
const seenEveryMs = 3_000

/** Looks for changes that other processes made. `stop` ends it. */
export type Watch = { stop(): void }

/**
 * Looks every second for what was changed elsewhere: business time and halts, which every process must share, and accounts, keys
 * and features; `forget` drops what this process remembers of them, or reads it again. So a change holds everywhere within two seconds.
 */
export function keepWatch(ctx: Ctx, forget: () => Promise<void>): Watch {
  let known: bigint | undefined
  let timer: NodeJS.Timeout
  let sinceSeen = stopwatch()
  let stopped = false

  async function look(): Promise<void> {
    if (sinceSeen() >= seenEveryMs) {
      sinceSeen = stopwatch()
      await keepSighting(ctx).catch((error: unknown) =>
        ctx.log.error({ err: error }, 'Failed to look whether the database went back in time; retrying.'),
      )
    }
    try {
      const { version, offsetMs } = await readShared(ctx)
      ctx.clock.learnOffset(offsetMs)
      // First, and whatever becomes of the rest: a halt must hold in this process too.
      await Promise.all([ctx.halts.refresh(ctx.db), ctx.markets.refresh()])
      if (known !== undefined && version !== known) await forget()
      known = version
      sampleMarket(ctx.market, ctx.clock.now())
    } catch (error) {
      ctx.log.warn({ err: error }, 'Failed to look for changes made by other processes; retrying.')
    }
    if (!stopped) timer = setTimeout(() => detach(look()), everyMs)
  }
  detach(look())
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
