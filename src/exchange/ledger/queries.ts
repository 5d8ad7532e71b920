import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Entry, Posting } from './entry.ts'

export type NumberedEntry = Entry & { id: bigint; digest: Buffer }

/** An entry that was booked before (same transaction, kind and ref) fails the block. */
export const insertEntries = (db: Atomic, entries: NumberedEntry[]): void =>
  db.send`
    insert into entries (id, transaction_id, kind, ref, at, digest)
    select * from unnest(
      ${entries.map((entry) => entry.id)}::bigint[], ${entries.map((entry) => entry.transactionId)}::bigint[],
      ${entries.map((entry) => entry.kind)}::text[], ${entries.map((entry) => entry.ref)}::bigint[],
      ${entries.map((entry) => entry.at.toISOString())}::timestamptz[], ${entries.map((entry) => entry.digest)}::bytea[])`

type Line = Posting & { entryId: bigint; line: number }

export const insertPostings = (db: Atomic, lines: Line[]): void =>
  db.send`
    insert into postings (entry_id, line, debit, credit, asset, amount)
    select * from unnest(
      ${lines.map((line) => line.entryId)}::bigint[], ${lines.map((line) => line.line)}::smallint[],
      ${lines.map((line) => line.debit)}::text[], ${lines.map((line) => line.credit)}::text[],
      ${lines.map((line) => line.asset)}::text[], ${lines.map((line) => line.amount)}::numeric[])`

/**
 * Balances of accounts, debits positive: the snapshot and all newer postings. `offset 0` keeps the planner, which cannot know
 * how few entries are newer, from reading all postings.
 */
export const balances = (db: Db, accounts: string[], asset: string): Promise<{ account: string; amount: bigint }[]> =>
  db.sql`
    with fold as (select below from fold_state),
    newer as (
      select side.account, sum(side.amount) as amount from entries
      cross join lateral (
        select debit, credit, amount from postings where entry_id = entries.id and asset = ${asset} offset 0) as posting
      cross join lateral (values (debit, posting.amount), (credit, -posting.amount)) as side (account, amount)
      where xid >= (select below from fold) and side.account = any(${accounts}) group by side.account)
    select wanted.account, (coalesce(folded_balances.amount, 0) + coalesce(newer.amount, 0))::numeric(38, 0) as amount
    from unnest(${accounts}::text[]) as wanted (account)
    left join folded_balances on folded_balances.account = wanted.account and folded_balances.asset = ${asset}
    left join newer on newer.account = wanted.account`

/** Balances of all accounts that match a pattern, of every asset. Debits are positive. */
export const balancesLike = (db: Db, pattern: string): Promise<{ account: string; asset: string; amount: bigint }[]> =>
  db.sql`
    with newer as (
      select side.account, asset, sum(side.amount) as amount from entries
      join postings on entry_id = entries.id
      cross join lateral (values (debit, postings.amount), (credit, -postings.amount)) as side (account, amount)
      where xid >= (select below from fold_state) and side.account like ${pattern} group by side.account, asset)
    select account, asset, sum(amount)::numeric(38, 0) as amount from (
      select account, asset, amount from folded_balances where account like ${pattern}
      union all select account, asset, amount from newer) as parts
    group by account, asset`

/**
 * Excludes concurrent updates until the block ends. A separate statement before `extendSnapshot`: waiting inside that statement
 * would keep a horizon from before the wait, and the next update would count postings twice.
 */
export const lockSnapshot = (db: Atomic): void => db.send`select from fold_state for update`

/**
 * A dump restored into another server contains the old server's transaction numbers. If those are in the future here, the
 * snapshot is invalid and starts from zero.
 */
export const resetSnapshotAfterRestore = (db: Atomic): void =>
  db.send`
    with stale as (
      update fold_state set below = '0' where below > pg_snapshot_xmax(pg_current_snapshot()) returning 1)
    delete from folded_balances where exists (select from stale)`

/** Adds what committed before the oldest running database transaction. Call `lockSnapshot` first. */
export const extendSnapshot = (db: Atomic): Promise<{ folded: bigint }[]> =>
  db.sql`
    with state as (select below from fold_state),
    horizon as (select pg_snapshot_xmin(pg_current_snapshot()) as below),
    fresh as (
      select id from entries where xid >= (select below from state) and xid < (select below from horizon)),
    sums as (
      select account, asset, sum(amount) as amount from (
        select debit as account, asset, amount from postings where entry_id in (select id from fresh)
        union all
        select credit, asset, -amount from postings where entry_id in (select id from fresh)
      ) as both_sides
      where account not like 'customer:%'
      group by account, asset),
    added as (
      insert into folded_balances (account, asset, amount) select account, asset, amount from sums
      on conflict (account, asset) do update set amount = folded_balances.amount + excluded.amount
      returning 1),
    moved as (update fold_state set below = greatest(below, (select below from horizon)) returning 1)
    select count(*) as folded from added, moved`

/** The next entries after `afterId` with their postings, and their later digests by a key and by the one before. */
export const journal = (db: Db, afterId: bigint, limit: number, keyId: number): Promise<JournalRow[]> =>
  db.sql`
    select entries.id, transaction_id, kind, ref, at, digest,
      (select later.digest from entry_digests as later where key_id = ${keyId} and entry_id = entries.id) as later_digest,
      (select later.digest from entry_digests as later where key_id = ${keyId - 1} and entry_id = entries.id)
        as previous_digest,
      (select public_id from transactions where transactions.id = transaction_id) as public_id,
      (select json_agg(json_build_array(debit, credit, asset, amount::text) order by line)
        from postings where entry_id = entries.id) as lines
    from entries where id > ${afterId} order by id limit ${limit}`

/** A stored entry. `lines` is null if its postings are missing, `public_id` if it has no transaction. */
export type JournalRow = {
  id: bigint
  transaction_id: bigint | null
  public_id: bigint | null
  kind: Entry['kind']
  ref: bigint
  at: Date
  digest: Buffer
  later_digest: Buffer | null
  previous_digest: Buffer | null
  lines: [debit: string, credit: string, asset: string, amount: string][] | null
}

/** Balance snapshots that differ from the sum of their postings. */
export const wrongSnapshots = (db: Db): Promise<{ account: string; asset: string }[]> =>
  db.sql`
    with sums as (
      select account, asset, sum(amount) as amount from (
        select debit as account, asset, amount from postings join entries on entries.id = entry_id
          where xid < (select below from fold_state)
        union all
        select credit, asset, -amount from postings join entries on entries.id = entry_id
          where xid < (select below from fold_state)
      ) as both_sides where account not like 'customer:%' group by account, asset)
    select coalesce(sums.account, folded_balances.account) as account, coalesce(sums.asset, folded_balances.asset) as asset
    from sums full join folded_balances using (account, asset)
    where coalesce(sums.amount, 0) <> coalesce(folded_balances.amount, 0) limit 100`

/** Reserves that count on more than the balance of their custody account. */
export const excessReserves = (db: Db): Promise<{ place: string; asset: string }[]> =>
  db.sql`
    with newer as (
      select side.account, asset, sum(side.amount) as amount from entries
      join postings on entry_id = entries.id
      cross join lateral (values (debit, postings.amount), (credit, -postings.amount)) as side (account, amount)
      where xid >= (select below from fold_state) and side.account like 'held:%' group by side.account, asset)
    select place, reserves.asset from reserves
    left join folded_balances as folded on folded.account = 'held:' || place and folded.asset = reserves.asset
    left join newer on newer.account = 'held:' || place and newer.asset = reserves.asset
    where covered > coalesce(folded.amount, 0) + coalesce(newer.amount, 0)`

/** Assets whose debits and credits differ. */
export const unbalanced = (db: Db): Promise<{ asset: string }[]> =>
  db.sql`select asset from audit_postings group by asset having sum(amount) <> 0`

/** Postings without an entry. A foreign key forbids them, but a restored backup may have them. */
export const orphans = (db: Db): Promise<{ entry_id: bigint }[]> =>
  db.sql`select distinct entry_id from postings where not exists (select 1 from entries where id = entry_id) limit 100`

/** Locks a reserve, and creates a missing one. */
export const lockReserve = (db: Db, place: string, asset: string): Promise<{ covered: bigint; reserved: bigint }[]> =>
  db.sql`
    insert into reserves (place, asset, covered, reserved) values (${place}, ${asset}, 0, 0)
    on conflict (place, asset) do update set place = excluded.place
    returning covered, reserved`

/** The block has locked the reserve. */
export const saveReserve = (db: Atomic, place: string, asset: string, covered: bigint, reserved: bigint): void =>
  db.send`
    update reserves set covered = ${covered}, reserved = ${reserved} where place = ${place} and asset = ${asset}`

/**
 * Money left custody: lowers balance and reserve. Creates a missing reserve, so that a concurrent count waits for its lock.
 */
export const settleReserve = (
  db: Atomic,
  place: string,
  asset: string,
  { left, promised }: { left: bigint; promised: bigint },
): void =>
  db.send`
    insert into reserves as had (place, asset, covered, reserved) values (${place}, ${asset}, -${left}::numeric, 0)
    on conflict (place, asset) do update
      set covered = had.covered + excluded.covered, reserved = had.reserved - ${promised}::numeric`

/** Lowers a reserve by cancelled payouts. */
export const releaseReserve = (db: Atomic, place: string, asset: string, amount: bigint): void =>
  db.send`
    update reserves set reserved = reserved - ${amount}::numeric where place = ${place} and asset = ${asset}`
