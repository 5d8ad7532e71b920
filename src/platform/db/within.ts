import type { Atomic, Database } from './sql.ts'

/**
 * An atomic block as a database: blocks that are opened on it join that one block, so that verbs which commit by themselves
 * become part of the caller's work. A failure in any of them must end the whole block: it is the block's own.
 */
export const within = (db: Atomic): Database => ({
  sql: (strings, ...values) => db.sql(strings, ...values),
  atomic: (work) => work(db),
  close: () => Promise.reject(new Error('An atomic block is ended by the code that opened it.')),
})

/** A context on another database. Returns the same object if it uses that one already, so that shared state stays shared. */
export const on = <Base extends { db: Database }>(base: Base, db: Database): Base =>
  base.db === db ? base : { ...base, db }
