import type { Atomic, Db } from './sql.ts'

/** The types that a column of written rows can have. */
export type SqlType = 'bigint' | 'boolean' | 'bytea' | 'integer' | 'json' | 'jsonb' | 'numeric' | 'text' | 'timestamptz'

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
  const arrays = properties.map((property) => `::${types[property]}[]`)
  const names = columns.join(', ')
  const changed = columns.filter((column) => column !== 'id').map((column) => `${column} = new.${column}`)
  const insert = templateOf(`insert into ${table} (${names}) select * from unnest(`, arrays, ')')
  const insertNew = templateOf(
    `insert into ${table} (${names}) select * from unnest(`,
    arrays,
    ') on conflict do nothing returning id',
  )
  const update = templateOf(
    `update ${table} set ${changed.join(', ')} from unnest(`,
    arrays,
    `) as new (${names}) where ${table}.id = new.id`,
  )
  const valuesOf = (rows: readonly Row[]): unknown[] =>
    properties.map((property) => rows.map((row) => cell(row[property])))

  return {
    insert: (db, rows) => db.send(insert, ...valuesOf(rows)),
    insertNew: (db, rows) => db.sql(insertNew, ...valuesOf(rows)),
    update: (db, rows) => db.send(update, ...valuesOf(rows)),
  }
}

const columnOf = (property: string): string => property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The driver would write a date of an array in the time zone of this machine. */
const cell = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : (value ?? null))

/** A statement with one parameter an array, in the form that the database takes. It is made once, so that it is prepared once. */
function templateOf(head: string, arrays: string[], tail: string): TemplateStringsArray {
  const strings = arrays.map((_, index) => (index === 0 ? head : `${arrays[index - 1]}, `))
  const all = [...strings, `${arrays.at(-1)}${tail}`]
  return Object.assign(all, { raw: all })
}
