import type { Atomic, Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { isSigned, queueCallbacks, sign } from '../callback.ts'
import type { World } from '../world.ts'

/** What the sandbox's identity provider depends on. It reaches the exchange by its callbacks only. */
export type IdentityContext = {
  db: Database
  clock: Clock
  /** The origin of its pages. */
  url(): string
  /** Signs a text for one specific use. */
  sign(use: string, text: string): string
  /** Whether a signature is that of a text for this use. */
  isSigned(use: string, text: string, signature: string | undefined): boolean
  /** Schedules a callback to the exchange, sent once the block commits. */
  owe(db: Atomic, provider: string, content: Record<string, string>): Promise<void>
}

/** The provider shares the processor's origin and its way of calling back. */
export const identityIn = (world: World): IdentityContext => ({
  db: world.db,
  clock: world.clock,
  url: () => world.url,
  sign: (use, text) => sign(world, use, text),
  isSigned: (use, text, signature) => isSigned(world, use, text, signature),
  owe: (block, rail, content) =>
    queueCallbacks(world, block, [{ rail, message: content, dueAt: world.clock.realNow() }]),
})
