import type { Db } from '../../src/platform/db/sql.ts'
import { openQueue } from '../../src/platform/jobs/queue.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import type { CallbackRequest, RailEvent } from '../../src/rails/rail.ts'
import { openRegistry, type RailRegistry } from '../../src/rails/registry.ts'
import { openSandboxRails, takeCallbacks, type World } from '../../src/sandbox/rails.ts'
import { processorKey } from '../../src/sandbox/world.ts'
import { testContext } from './api.ts'
import { testDatabase } from './database.ts'

/** The sandbox's world of money on its own database, with nothing running and a clock that only the test moves. */
export type RailWorld = {
  world: World
  rails: RailRegistry
  db: Db
  /** Lets real time pass. */
  pass(ms: number): void
  /** The rails as another process would open them. */
  reopen(): RailRegistry
  /** Takes the calls that a rail owes by now, without delivering them. */
  take(rail: string): Promise<CallbackRequest[]>
  /** Delivers what a rail owes by now, and gives the events in order. */
  deliver(rail: string): Promise<RailEvent[]>
  close(): Promise<void>
}

/** Makes the world. It begins in the middle of a block, on a second that is not now. */
export async function openRailWorld(confirmations: Record<string, number> = {}): Promise<RailWorld> {
  const database = await testDatabase()
  const { db, secrets } = await testContext(database)
  let at = Date.parse('2026-03-02T10:00:00.500Z')
  const realNow = (): Date => new Date(at)
  const clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined, follow: () => 0 }
  const queue = openQueue({ db, clock, log: silentLog, handlers: {}, leaseMs: 10_000, pollMs: 1_000 })
  const world: World = {
    db,
    clock,
    queue,
    secrets: processorKey(secrets),
    url: 'https://processor.example',
    confirmations,
  }
  const rails = openRegistry(openSandboxRails(world))
  const take = async (rail: string): Promise<CallbackRequest[]> => {
    const due = await db.sql<{ id: bigint }>`
      select id from sandbox.callbacks where rail = ${rail} and next_at <= ${realNow()}`
    const taken = await db.atomic((block) =>
      takeCallbacks(
        world,
        block,
        due.map(({ id }) => id),
      ),
    )
    return taken.map(({ body, headers }) => ({ body, headers }))
  }
  return {
    world,
    rails,
    db,
    pass: (ms) => {
      at += ms
    },
    reopen: () => openRegistry(openSandboxRails(world)),
    take,
    deliver: async (rail) => {
      const events: RailEvent[] = []
      for (const call of await take(rail))
        events.push(...((await rails.named(rail)?.readCallback?.(call))?.events ?? []))
      return events
    },
    close: () => db.close(),
  }
}
