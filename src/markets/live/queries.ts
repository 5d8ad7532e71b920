import type { Db } from '../../platform/db/sql.ts'

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

const lease = 'markets'

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

/** Writes pairs under a version; false if the lease is another's, and then nothing is written. */
export async function writeBooks(db: Db, lead: Lead, version: bigint, rows: readonly BookRow[]): Promise<boolean> {
  const written = await db.sql`
    with lead as (
      select 1 from leases where name = ${lease} and holder = ${lead.holder} and fence = ${lead.fence} for share
    )
    insert into market_books (pair, bid, ask, state, confirmed_at, halted_until, sources, version)
    select new.pair, new.bid, new.ask, new.state, new."confirmedAt", new."haltedUntil", new.sources, ${version}
    from lead, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new(pair text, bid text, ask text, state text,
      "confirmedAt" timestamptz, "haltedUntil" timestamptz, sources jsonb)
    on conflict (pair) do update set bid = excluded.bid, ask = excluded.ask, state = excluded.state,
      confirmed_at = excluded.confirmed_at, halted_until = excluded.halted_until, sources = excluded.sources,
      version = excluded.version
    returning 1`
  return written.length > 0
}

/** The pairs that were written since a version. */
export const readBooks = (db: Db, since: bigint): Promise<(BookRow & { version: bigint })[]> =>
  db.sql`
    select pair, bid, ask, state, confirmed_at as "confirmedAt", halted_until as "haltedUntil", sources, version
    from market_books where version > ${since}`

/** A pair that an operator has halted. */
export type MarketHalt = { pair: string; since: Date; actor: string; reason: string }

export const readHalts = (db: Db): Promise<MarketHalt[]> =>
  db.sql`select pair, since, actor, reason from market_halts order by pair`
