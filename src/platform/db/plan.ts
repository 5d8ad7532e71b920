import type { Atomic } from './sql.ts'

/**
 * Makes the planner look rows up by index, in index order, until the block ends. It may have prepared its plan when the table was
 * empty, and would then read or sort a million rows. With `flush: false` the commit does not wait for the disk: a crash may lose it.
 */
export const planByIndex = (db: Atomic, { flush = true } = {}): void =>
  db.send`
    select set_config('synchronous_commit', coalesce(${flush ? null : 'off'}, current_setting('synchronous_commit')), true),
      set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`
