import type { Db } from '../../platform/db/sql.ts'

/** Makes a bank's rail known. */
export const openRail = (db: Db, rail: string): Promise<unknown[]> =>
  db.sql`insert into iso20022_rails (rail) values (${rail}) on conflict do nothing`

/** Takes or keeps the lease of a bank until a real time. Gives nothing to who must wait. */
export const takeLease = (
  db: Db,
  rail: string,
  { holder, now, until }: { holder: string; now: Date; until: Date },
): Promise<unknown[]> =>
  db.sql`
    update iso20022_rails set holder = ${holder}, lease_until = ${until}
    where rail = ${rail} and (holder is null or holder = ${holder} or lease_until < ${now}) returning rail`

/** Locks a bank for writing. False for who has lost the lease. */
export const keepLease = async (db: Db, rail: string, holder: string): Promise<boolean> =>
  (await db.sql`select rail from iso20022_rails where rail = ${rail} and holder = ${holder} for update`).length > 0

/** Locks a bank for a person who decides about it. */
export const lockBank = (db: Db, rail: string): Promise<unknown[]> =>
  db.sql`select rail from iso20022_rails where rail = ${rail} for update`

/** Gives a lease back, if it is still this holder's. */
export const endLease = (db: Db, rail: string, holder: string): Promise<unknown[]> =>
  db.sql`update iso20022_rails set holder = null, lease_until = null where rail = ${rail} and holder = ${holder}`
