import pg from 'pg'

import { testDatabase } from '../support/database.ts'
import { watchPromises } from './promises.ts'

/** The database of one run, and a connection of its owner, who looks behind everybody's back. */
export type Ground = { url: string; ownerUrl: string; owner: pg.Client; drop(): Promise<void> }

/**
 * What the server does by itself, and when it likes, is switched off: new statistics and cleaned pages change in which order rows
 * are read that nobody has put in an order, and one seed would be two stories.
 */
const still = `
  do $$ declare name text; begin
    for name in
      select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('public', 'sandbox')
    loop
      execute 'alter table ' || name || ' set (autovacuum_enabled = false)';
    end loop;
  end $$`

/** Opens a fresh database that keeps still and judges promises. */
export async function openGround(): Promise<Ground> {
  const { url, ownerUrl, drop } = await testDatabase()
  const owner = new pg.Client({ connectionString: ownerUrl, pipeline: true })
  await owner.connect()
  owner.on('error', () => undefined)
  await owner.query(still)
  await watchPromises(owner)
  return {
    url,
    ownerUrl,
    owner,
    drop: async () => {
      await owner.end()
      await drop()
    },
  }
}
