import type { Db } from '../../src/platform/db/sql.ts'
import { openQueue } from '../../src/platform/jobs/queue.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import type { Fact, Rails } from '../../src/rails/rail.ts'
import { openSandboxRails, takeCallbacks, type World } from '../../src/sandbox/rails.ts'
import { testContext } from './api.ts'
import { testDatabase } from './database.ts'

/** The sandbox's world of money on its own database, with nothing running and a clock that only the test moves. */
export type RailWorld = {
  world: World
  rails: Rails
  db: Db
  /** Lets real time pass. */
  pass(ms: number): void
  /** Brings what a rail owes by now, and gives the facts in the order of their coming. */
  deliver(rail: string): Promise<Fact[]>
  close(): Promise<void>
}

/** Makes the world. It begins in the middle of a block, on a second that is not now. */
export async function openRailWorld(confirmations: Record<string, number> = {}): Promise<RailWorld> {
  const database = await testDatabase()
  const { db, secrets } = await testContext(database)
  let at = Date.parse('2026-03-02T10:00:00.500Z')
  const realNow = (): Date => new Date(at)
  const clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined }
  const queue = openQueue({ db, clock, log: silentLog, handlers: {}, leaseMs: 10_000, pollMs: 1_000 })
  const world: World = { db, clock, queue, secrets, url: 'https://processor.example', confirmations }
  const rails = openSandboxRails(world)
  return {
    world,
    rails,
    db,
    pass: (ms) => {
      at += ms
    },
    deliver: async (rail) => {
      const due = await db.sql<{ id: bigint }>`
        select id from sandbox.callbacks where rail = ${rail} and next_at <= ${realNow()}`
      const taken = await db.atomic((block) =>
        takeCallbacks(
          world,
          block,
          due.map(({ id }) => id),
        ),
      )
      return taken.map(({ rail: name, body, headers }) => {
        const reader = rails.deposit.get(name)
        if (!reader) throw new Error(`There is no rail ${name}.`)
        return reader.readCallback(body, headers)
      })
    },
    close: () => db.close(),
  }
}
