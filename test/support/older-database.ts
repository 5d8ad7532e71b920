import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

import { emptyDatabase } from './database.ts'
import { asOwner } from './server.ts'
import { filesBelow } from './source.ts'

const migrations = filesBelow('migrations')
  .filter((path) => /^\d/.test(basename(path)))
  .toSorted((one, other) => (basename(one) < basename(other) ? -1 : 1))

/** A database as it was before a migration, by its number, with rows of then: its owner's URL. Foreign keys of `tables` are gone. */
export async function databaseBefore(number: string, tables: string[], rows: string): Promise<string> {
  const { ownerUrl } = await emptyDatabase()
  await asOwner(ownerUrl, async (client) => {
    for (const path of migrations.filter((one) => basename(one) < number)) {
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

/** Applies one migration, by its number: all of it or nothing. */
export const migrateOne = (url: string, number: string): Promise<unknown> =>
  asOwner(url, async (client) => {
    const path = migrations.find((one) => basename(one).startsWith(number))
    await client.query(`begin; ${readFileSync(path ?? '', 'utf8')}; commit`)
  })
