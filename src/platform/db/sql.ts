import { createHash } from 'node:crypto'

/** A statement as the driver takes it: text with `$1` places, values, and the name under which it is prepared. */
export type Statement = { text: string; name: string | undefined; values: unknown[] }

const known = new WeakMap<TemplateStringsArray, { text: string; name: string }>()

/**
 * Turns a template into a statement. Values never become part of the text, so there is nothing to escape and every
 * execution of one template is the same prepared statement.
 */
export function statement(strings: TemplateStringsArray, values: unknown[]): Statement {
  let prepared = known.get(strings)
  if (!prepared) {
    const text = strings.reduce((whole, part, index) => `${whole}$${index}${part}`)
    prepared = { text, name: `s${createHash('sha256').update(text).digest('base64url').slice(0, 20)}` }
    known.set(strings, prepared)
  }
  return { text: prepared.text, name: prepared.name, values: values.map(encoded) }
}

/** A text that needs no quotes in an array. */
const unquoted = /^(?!null$)[a-z]+(_[a-z]+)*$/

/**
 * Writes an array of numbers, times, booleans and plain identifiers as SQL does. The driver would look for quotes in each element, which costs as
 * much as the rest of sending it, and would write times in local time.
 */
function encoded(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const elements: string[] = []
  for (const element of value as unknown[]) {
    if (element === null) elements.push('null')
    else if (element instanceof Date) elements.push(element.toISOString())
    else if (typeof element === 'bigint' || typeof element === 'number' || typeof element === 'boolean') {
      elements.push(String(element))
    } else if (typeof element === 'string' && unquoted.test(element)) elements.push(element)
    else return value
  }
  return `{${elements.join()}}`
}

/** Something that runs SQL: the pool (each statement for itself) or an atomic block (all or nothing). */
export interface Db {
  /** Runs one statement and gives its rows. `bigint` and `numeric` come as bigint, `timestamptz` as Date, `bytea` as Buffer. */
  sql<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
}

/** An atomic block: what is done through it commits together or not at all. */
export interface Atomic extends Db {
  /**
   * Sends one statement without waiting for it, so that the writes of a block and its commit share one round trip.
   * Should it fail, nothing of the block is kept and the block throws that failure.
   */
  send(strings: TemplateStringsArray, ...values: unknown[]): void
  /** Called once the block has committed; never if it has not. For wake-ups, not for work that must happen. */
  afterCommit(then: () => void): void
}

/** A database with its connections. */
export interface Database extends Db {
  /**
   * Runs `work` as one atomic block and gives its result once the commit is durable. A deadlock or serialization failure
   * runs it again from the start (at most three times), so `work` must have no effects outside the block. Throws
   * `CommitUnknown` if it is unknown whether it has committed.
   */
  atomic<T>(work: (db: Atomic) => Promise<T>): Promise<T>
  /** Closes every connection when its statement is done. */
  close(): Promise<void>
}

/**
 * The connection was lost between COMMIT and its answer: the block may have committed. What it did must not be done again
 * without looking.
 */
export class CommitUnknown extends Error {
  constructor(options: ErrorOptions) {
    super('Connection terminated before the commit was answered.', options)
    this.name = 'CommitUnknown'
  }
}

/** Exactly one row, or a fault. */
export function one<Row>(rows: Row[]): Row {
  const [row] = rows
  if (rows.length !== 1 || row === undefined) throw new Error(`One row was expected, not ${rows.length}.`)
  return row
}
