import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

import { emptyDatabase } from './database.ts'
import { asOwner } from './server.ts'
import { filesBelow } from './source.ts'

const migrations = filesBelow('migrations')
  .filter((path) => /^\d/.test(basename(path)))
  .toSorted((one, other) => (basename(one) < basename(other) ? -1 : 1))

/** The migration with this name, which has a number before it. */
function fileOf(name: string): string {
  const path = migrations.find((one) => basename(one).slice('0000-'.length) === `${name}.sql`)
  if (!path) throw new Error(`There is no migration ${name}.`)
  return path
}

/** A database as it was before a migration, by its name, with rows of then: its owner's URL. Foreign keys of `tables` are gone. */
export async function databaseBefore(name: string, tables: string[], rows: string): Promise<string> {
  const { ownerUrl } = await emptyDatabase()
  await asOwner(ownerUrl, async (client) => {
    for (const path of migrations.slice(0, migrations.indexOf(fileOf(name)))) {
      await client.query(`begin; ${readFileSync(path, 'utf8')}; commit`)
    }
    const names = tables.map((table) => `'${table}'::regclass`).join()
    await client.query(`do $$ declare one record; begin
      for one in select conrelid::regclass as name, conname from pg_constraint where contype = 'f' and conrelid in (${names})
      loop execute format('alter table %s drop constraint %I', one.name, one.conname); end loop;
    end $$; ${rows}`)
  })
  return ownerUrl
}

/** Applies one migration, by its name: all of it or nothing. */
export const migrateOne = (url: string, name: string): Promise<unknown> =>
  asOwner(url, async (client) => {
    await client.query(`begin; ${readFileSync(fileOf(name), 'utf8')}; commit`)
  })
