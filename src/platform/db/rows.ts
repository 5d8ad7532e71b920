import type { Atomic, Db } from './sql.ts'

/** The types that a column of written rows can have. */
export type SqlType =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'date'
  | 'integer'
  | 'json'
  | 'jsonb'
  | 'numeric'
  | 'text'
  | 'timestamptz'

/** Writes objects to a table, any number in one statement that is always the same text. */
export type RowWriter<Row> = {
  /** Inserts rows. One that breaks a constraint fails the block. */
  insert(db: Atomic, rows: readonly Row[]): void
  /** Inserts rows but for those that are there already, and gives the ids of the new ones. */
  insertNew(db: Db, rows: readonly Row[]): Promise<{ id: bigint }[]>
  /** Updates the rows that have the same `id`. */
  update(db: Atomic, rows: readonly Row[]): void
}

/**
 * A writer for a table: each column of a row with its type. A column has its property's name in snake case; what else an object has
 * is not written.
 */
export function rowWriter<Row extends object>(
  table: string,
  types: { [Column in keyof Row]-?: SqlType },
): RowWriter<Row> {
  const properties = Object.keys(types) as (keyof Row & string)[]
  const columns = properties.map(columnOf)
  const names = columns.join(', ')
  const rowsOf = `unnest(${properties.map((property) => `?::${types[property]}[]`).join(', ')})`
  const changed = columns.filter((column) => column !== 'id').map((column) => `${column} = new.${column}`)
  const insert = templateOf(`insert into ${table} (${names}) select * from ${rowsOf}`)
  const insertNew = templateOf(
    `insert into ${table} (${names}) select * from ${rowsOf} on conflict do nothing returning id`,
  )
  const update = templateOf(
    `update ${table} set ${changed.join(', ')} from ${rowsOf} as new (${names}) where ${table}.id = new.id`,
  )
  const valuesOf = (rows: readonly Row[]): unknown[] =>
    properties.map((property) => rows.map((row) => cellOf(row[property])))

  return {
    insert: (db, rows) => db.send(insert, ...valuesOf(rows)),
    insertNew: (db, rows) => db.sql(insertNew, ...valuesOf(rows)),
    update: (db, rows) => db.send(update, ...valuesOf(rows)),
  }
}

/** The column that a property is written to: its name in snake case. */
export const columnOf = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** A value within an array. The driver would write a date there in the time zone of this machine. */
export const cellOf = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : (value ?? null))

/** A statement with a parameter at each `?`, in the form that the database takes. Make it once, so that it is prepared once. */
export function templateOf(text: string): TemplateStringsArray {
  const strings = text.split('?')
  return Object.assign(strings, { raw: strings })
}
