import assert from 'node:assert/strict'

import { cellOf, columnOf, type SqlType, templateOf } from '../../platform/db/rows.ts'
import type { Atomic } from '../../platform/db/sql.ts'

/** A table whose rows have a state: which states may follow each, and which other columns may be written with a new one. */
export type StateMachine<State extends string, Column extends string> = {
  readonly table: string
  readonly lifecycle: Readonly<Record<State, readonly State[]>>
  readonly columns: Readonly<Record<Column, SqlType>>
  readonly templates: Map<string, TemplateStringsArray>
}

/** Makes the state machine of a table. Columns are named by their properties, in camel case. */
export const stateMachine = <State extends string, Column extends string = never>(
  table: string,
  lifecycle: Readonly<Record<State, readonly State[]>>,
  columns: Readonly<Record<Column, SqlType>> = {} as Readonly<Record<Column, SqlType>>,
): StateMachine<State, Column> => ({ table, lifecycle, columns, templates: new Map() })

/** A row that changes its state: its id, and the values of other columns. All rows of one call have the same columns. */
type Changed<Column extends string> = { id: bigint } & { [Name in Column]?: unknown }

/**
 * Brings rows from a state, or from any of several, to another one: the only way in which a state is written. One statement, not
 * awaited. What the lifecycle does not allow is a fault; a row that is in another state by now, or is gone, fails the block.
 */
export function transition<State extends string, Column extends string>(
  db: Atomic,
  machine: StateMachine<State, Column>,
  rows: readonly Changed<Column>[],
  from: NoInfer<State> | readonly NoInfer<State>[],
  to: NoInfer<State>,
): void {
  const [first] = rows
  if (!first) return
  const froms = typeof from === 'string' ? [from] : from
  for (const one of froms) {
    assert(machine.lifecycle[one].includes(to), `a row of ${machine.table} cannot go from ${one} to ${to}`)
  }
  const columns = Object.keys(first).filter((name): name is Column => name !== 'id')
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()]
  const values = columns.map((name) => distinct.map((row) => cellOf(row[name])))
  const ids = distinct.map(({ id }) => id)
  db.send(templateFor(machine, columns), ids, ...values, to, froms, ids.length)
}

function templateFor<Column extends string>(
  { table, columns, templates }: StateMachine<string, Column>,
  properties: Column[],
): TemplateStringsArray {
  const key = properties.join()
  const known = templates.get(key)
  if (known) return known
  const names = properties.map(columnOf)
  const template = templateOf(`
    with changed (${['id', ...names].join(', ')}) as (
      select * from unnest(?::bigint[]${properties.map((property) => `, ?::${columns[property]}[]`).join('')})),
    moved as (
      update ${table} set state = ?${names.map((name) => `, ${name} = changed.${name}`).join('')} from changed
      where ${table}.id = changed.id and state = any(?::text[]) returning ${table}.id)
    select refuse_transition('${table}', ?::bigint - count(*)) from moved`)
  templates.set(key, template)
  return template
}
