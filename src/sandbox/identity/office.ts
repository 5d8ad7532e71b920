import type { Atomic, Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { isSigned, oweCallbacks, sign } from '../callback.ts'
import type { World } from '../world.ts'

/** What the sandbox's provider stands on. It has no other way to reach the exchange than its callbacks. */
export type Office = {
  db: Database
  clock: Clock
  /** The origin of its pages. */
  url(): string
  /** Signs a text for one use of it. */
  sign(use: string, text: string): string
  /** Whether a signature is that of a text for this use. */
  isSigned(use: string, text: string, signature: string | undefined): boolean
  /** Owes the exchange a callback, told once the block commits. */
  owe(db: Atomic, provider: string, words: Record<string, string>): Promise<void>
}

/** The provider shares the processor's origin and its way of calling back. */
export const officeIn = (world: World): Office => ({
  db: world.db,
  clock: world.clock,
  url: () => world.url,
  sign: (use, text) => sign(world, use, text),
  isSigned: (use, text, signature) => isSigned(world, use, text, signature),
  owe: (block, rail, words) => oweCallbacks(world, block, [{ rail, words, dueAt: world.clock.realNow() }]),
})
