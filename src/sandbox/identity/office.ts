import type { Atomic, Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'

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
