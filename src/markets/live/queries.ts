import type { Db } from '../../platform/db/sql.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import { isSameStamp, stampText } from '../../platform/privacy/stamp.ts'

/**
 * What a source says about a pair, as it is stored with the pair. `at`: when we got it, or the source's own time if that is older.
 * `why` it is left out. A source that says nothing readable has no price.
 */
export type StoredQuote = { name: string; bid?: string; ask?: string; at?: number; why?: string }

/** A pair as the leader writes it. Times are real. */
export type BookRow = {
  pair: string
  bid: string | null
  ask: string | null
  state: 'open' | 'stale' | 'halted'
  confirmedAt: Date
  haltedUntil: Date | null
  sources: StoredQuote[]
}

/** A holder of the lease. Everything it writes carries the fence, so that one who lost the lease writes nothing. */
export type Lead = { holder: string; fence: bigint }

/** Not `markets`, which processes have that stamp nothing: during an upgrade, one of each kind leads. */
const lease = 'stamped markets'

/** Takes the lease if it is free or ours, or keeps it. Times are real. */
export async function takeLead(db: Db, holder: string, now: Date, until: Date): Promise<Lead | undefined> {
  const [row] = await db.sql<{ fence: bigint }>`
    insert into leases (name, holder, fence, until) values (${lease}, ${holder}, 1, ${until})
    on conflict (name) do update set holder = excluded.holder, until = excluded.until,
      fence = leases.fence + case when leases.holder = excluded.holder then 0 else 1 end
    where leases.holder = excluded.holder or leases.until < ${now}
    returning fence`
  return row && { holder, fence: row.fence }
}

/** Gives the lease back, if it is still ours. */
export const endLead = (db: Db, { holder, fence }: Lead, now: Date): Promise<unknown[]> =>
  db.sql`update leases set until = ${now} where name = ${lease} and holder = ${holder} and fence = ${fence}`

/** What books are stamped with. */
export const bookKeyOf = (secrets: Pick<Secrets, 'keyFor'>): Buffer => secrets.keyFor('market-books')

/** The database of books, and the key that they are stamped with, which is not in it. */
export type BookStore = { db: Db; stampKey: Buffer }

/** A pair as it was written under a version. */
export type WrittenBook = BookRow & { version: bigint }

/** A keyed hash of a whole row, its time and version included: an older one that is written once more is only as old as it is. */
const stampOf = (key: Buffer, row: WrittenBook): Buffer => {
  const { pair, bid, ask, state, confirmedAt, haltedUntil, sources, version } = row
  const said = sources.map((one) => [one.name, one.bid, one.ask, one.at, one.why])
  return stampText(key, JSON.stringify([pair, bid, ask, state, confirmedAt, haltedUntil, said, String(version)]))
}

/** Writes pairs under a version; false if the lease is another's, and then nothing is written. */
export async function writeBooks(
  { db, stampKey }: BookStore,
  lead: Lead,
  version: bigint,
  rows: readonly BookRow[],
): Promise<boolean> {
  const stamped = rows.map((row) => ({ ...row, stamp: stampOf(stampKey, { ...row, version }).toString('hex') }))
  const written = await db.sql`
    with lead as (
      select 1 from leases where name = ${lease} and holder = ${lead.holder} and fence = ${lead.fence} for share
    )
    insert into market_books (pair, bid, ask, state, confirmed_at, halted_until, sources, version, stamp)
    select new.pair, new.bid, new.ask, new.state, new."confirmedAt", new."haltedUntil", new.sources, ${version},
      decode(new.stamp, 'hex')
    from lead, jsonb_to_recordset(${JSON.stringify(stamped)}::jsonb) as new(pair text, bid text, ask text, state text,
      "confirmedAt" timestamptz, "haltedUntil" timestamptz, sources jsonb, stamp text)
    on conflict (pair) do update set bid = excluded.bid, ask = excluded.ask, state = excluded.state,
      confirmed_at = excluded.confirmed_at, halted_until = excluded.halted_until, sources = excluded.sources,
      version = excluded.version, stamp = excluded.stamp
    returning 1`
  return written.length > 0
}

/** The pairs that were written since a version; `forged`: the names of those that no leader has written, which count for nothing. */
export async function readBooks(
  { db, stampKey }: BookStore,
  since: bigint,
): Promise<{ books: WrittenBook[]; forged: string[] }> {
  const rows = await db.sql<WrittenBook & { stamp: Buffer | null }>`
    select pair, bid, ask, state, confirmed_at as "confirmedAt", halted_until as "haltedUntil", sources, version, stamp
    from market_books where version > ${since} order by pair`
  const books = rows.filter((row) => isSameStamp(row.stamp, stampOf(stampKey, row)))
  return { books, forged: rows.filter((row) => !books.includes(row)).map(({ pair }) => pair) }
}

/** A pair that an operator has halted. */
export type MarketHalt = { pair: string; since: Date; actor: string; reason: string }

export const readHalts = (db: Db): Promise<MarketHalt[]> =>
  db.sql`select pair, since, actor, reason from market_halts order by pair`
