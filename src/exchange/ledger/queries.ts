import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Entry, Posting } from './entry.ts'

/** An entry with its id and digest, as it is written. */
export type NumberedEntry = Entry & { id: bigint; digest: Buffer }

/** Writes entries. One that was booked before (same transaction, kind and ref) fails the whole block: nothing twice. */
export const insertEntries = (db: Atomic, entries: NumberedEntry[]): void =>
  db.send`
    insert into entries (id, transaction_id, kind, ref, at, digest)
    select * from unnest(
      ${entries.map((entry) => entry.id)}::bigint[], ${entries.map((entry) => entry.transactionId)}::bigint[],
      ${entries.map((entry) => entry.kind)}::text[], ${entries.map((entry) => entry.ref)}::bigint[],
      ${entries.map((entry) => entry.at.toISOString())}::timestamptz[], ${entries.map((entry) => entry.digest)}::bytea[])`

type Line = Posting & { entryId: bigint; line: number }

/** Writes the postings of entries. */
export const insertPostings = (db: Atomic, lines: Line[]): void =>
  db.send`
    insert into postings (entry_id, line, debit, credit, asset, amount)
    select * from unnest(
      ${lines.map((line) => line.entryId)}::bigint[], ${lines.map((line) => line.line)}::smallint[],
      ${lines.map((line) => line.debit)}::text[], ${lines.map((line) => line.credit)}::text[],
      ${lines.map((line) => line.asset)}::text[], ${lines.map((line) => line.amount)}::numeric[])`

/**
 * What accounts hold, debits counting up: the folded part and everything newer. `offset 0` keeps the planner, which cannot
 * know how few entries are newer, from reading all postings.
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

/** What all accounts whose names fit a pattern hold of every asset, debits counting up. */
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
 * Keeps other folds out until the block ends. In a statement of its own, before `fold`: a fold that had waited inside its
 * statement would go by a horizon older than what was folded meanwhile, and the next one would fold that again.
 */
export const lockFold = (db: Atomic): void => db.send`select from fold_state for update`

/**
 * A dump that was restored into another server has brought that server's numbers of database transactions along: if they
 * are still to come here, nothing that was folded by them counts any more.
 */
export const startAnewAfterRestore = (db: Atomic): void =>
  db.send`
    with stale as (
      update fold_state set below = '0' where below > pg_snapshot_xmax(pg_current_snapshot()) returning 1)
    delete from folded_balances where exists (select from stale)`

/** Adds what committed below the oldest running database transaction to the folded balances. `lockFold` goes before. */
export const fold = (db: Atomic): Promise<{ folded: bigint }[]> =>
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

/** All postings of one transaction, in the order of the books. */
export const postingsOf = (
  db: Db,
  transactionId: bigint,
): Promise<(Posting & { kind: string; at: Date; entry_id: bigint })[]> =>
  db.sql`
    select entry_id, kind, at, debit, credit, asset, amount from entries join postings on entry_id = entries.id
    where transaction_id = ${transactionId} order by entry_id, line`

/** A part of the journal, in the order of entry ids: entries after `afterId` with their postings. */
export const journal = (db: Db, afterId: bigint, limit: number): Promise<JournalRow[]> =>
  db.sql`
    select entries.id, transaction_id, kind, ref, at, digest,
      (select public_id from transactions where transactions.id = transaction_id) as public_id,
      (select json_agg(json_build_array(debit, credit, asset, amount::text) order by line)
        from postings where entry_id = entries.id) as lines
    from entries where id > ${afterId} order by id limit ${limit}`

/** An entry as it stands in the books; `lines` is null where its postings are gone, `public_id` where it has no transaction. */
export type JournalRow = {
  id: bigint
  transaction_id: bigint | null
  public_id: bigint | null
  kind: Entry['kind']
  ref: bigint
  at: Date
  digest: Buffer
  lines: [debit: string, credit: string, asset: string, amount: string][] | null
}

/** Folded balances that the postings below the fold do not add up to. */
export const misfolded = (db: Db): Promise<{ account: string; asset: string }[]> =>
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

/** Reserves that count on more than their place holds. */
export const overcovered = (db: Db): Promise<{ place: string; asset: string }[]> =>
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

/** Assets in which debits and credits differ. */
export const unbalanced = (db: Db): Promise<{ asset: string }[]> =>
  db.sql`select asset from audit_postings group by asset having sum(amount) <> 0`

/** Postings whose entry is missing. (A foreign key forbids them; a restored backup may not.) */
export const orphans = (db: Db): Promise<{ entry_id: bigint }[]> =>
  db.sql`select distinct entry_id from postings where not exists (select 1 from entries where id = entry_id) limit 100`

/** Takes what is reserved for payouts: only if it is covered. Gives the granted ones; others stay as they are. */
export const lockReserve = (db: Db, place: string, asset: string): Promise<{ covered: bigint; reserved: bigint }[]> =>
  db.sql`
    insert into reserves (place, asset, covered, reserved) values (${place}, ${asset}, 0, 0)
    on conflict (place, asset) do update set place = excluded.place
    returning covered, reserved`

/** Writes a reserve that this block has locked. */
export const saveReserve = (db: Atomic, place: string, asset: string, covered: bigint, reserved: bigint): void =>
  db.send`
    update reserves set covered = ${covered}, reserved = ${reserved} where place = ${place} and asset = ${asset}`

/**
 * Money left its place: it is no longer covered, and what was promised for it no longer reserved. A reserve that is not there is
 * made, so that whoever counts at the same time waits.
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

/** What of an asset is owed on an account by a transaction's exchanges, less what was paid of it by some payouts. */
export const owedForExchanges = (
  db: Db,
  {
    transactionId,
    account,
    asset,
    payoutIds,
  }: { transactionId: bigint; account: string; asset: string; payoutIds: bigint[] },
): Promise<{ amount: bigint }[]> =>
  db.sql`
    select coalesce(sum(case credit when ${account} then amount else -amount end), 0)::numeric(38, 0) as amount
    from entries join postings on entry_id = entries.id
    where transaction_id = ${transactionId} and asset = ${asset} and ${account} in (debit, credit)
      and (kind in ('exchange', 'exchange_mirrored')
        or (kind in ('payout_sent', 'payout_returned', 'payout_failed') and ref = any(${payoutIds})))`

/** What has left by some payouts of a transaction, or of nobody's (null), and has neither come back nor failed. */
export const sentBy = (db: Db, transactionId: bigint | null, payoutIds: bigint[]): Promise<{ amount: bigint }[]> =>
  db.sql`
    select coalesce(sum(case kind when 'payout_sent' then amount else -amount end), 0)::numeric(38, 0) as amount
    from entries join postings on entry_id = entries.id
    where (transaction_id = ${transactionId}::bigint or ${transactionId}::bigint is null and transaction_id is null)
      and kind in ('payout_sent', 'payout_returned', 'payout_failed') and ref = any(${payoutIds})`

/** The numbers of the quotes that a transaction is exchanged at, less those whose exchange was mirrored, the newest first. */
export const exchangesOf = (db: Db, transactionId: bigint): Promise<{ number: bigint }[]> =>
  db.sql`
    select ref as number from entries where transaction_id = ${transactionId} and kind = 'exchange'
      and not exists (select 1 from entries as mirror
        where mirror.transaction_id = ${transactionId} and mirror.kind = 'exchange_mirrored' and mirror.ref = entries.ref)
    order by ref desc`

/** Promises nothing any more of what was reserved for payouts that will not be. */
export const releaseReserve = (db: Atomic, place: string, asset: string, amount: bigint): void =>
  db.send`
    update reserves set reserved = reserved - ${amount}::numeric where place = ${place} and asset = ${asset}`
