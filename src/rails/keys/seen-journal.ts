import type { Db } from '../../platform/db/sql.ts'
import type { JournalMemory } from './signer-client.ts'

/** Remembers in the database how far the signer's journal was. */
export const seenJournal = (db: Db): JournalMemory => ({
  seen: async () => {
    const [row] = await db.sql<{ lines: bigint; hash: string }>`select lines, hash from signer_seen`
    return row && { lines: Number.parseInt(String(row.lines), 10), hash: row.hash }
  },
  keep: ({ lines, hash }) =>
    db.sql`
      insert into signer_seen as known (lines, hash, at) values (${lines}, ${hash}, now())
      on conflict (is_only) do update set lines = excluded.lines, hash = excluded.hash, at = excluded.at
      where known.lines < excluded.lines`,
})
