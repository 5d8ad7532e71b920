import type { Database } from './sql.ts'

/** The steps of work that takes more than one atomic block and must not be done twice. */
export type Journal = {
  /**
   * Does a step and writes down that it is done, with what it gave, in the same block: `db` is that block, and everything that
   * the step changes must go through it. When the work is begun again, because its process has died, a step that is done is not
   * done again, and gives what it gave then. That is JSON and kept for a day: nothing of a person may be in it.
   */
  once<Given extends Json>(step: string, work: (db: Database) => Promise<Given>): Promise<Given>
  /** Whether a step is done already. */
  isDone(step: string): Promise<boolean>
}

/** What can be written down of a step. */
export type Json = string | boolean | null | { readonly [name: string]: string }
