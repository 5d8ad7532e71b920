import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Cause } from './compare.ts'

/** What a break is about. */
export type BreakKind = 'not_booked' | 'not_stated' | 'amount' | 'balance' | 'statement'

/** Who looks after it: `finance` after banks and processors, `operations` after chains. */
export type BreakOwner = 'finance' | 'operations'

/** A difference as it is stored. `key` is `{rail} in|out {key}`, empty for a balance. */
export type BreakRow = {
  id: bigint
  account: string
  asset: string
  kind: BreakKind
  key: string
  amount: bigint
  cause: Cause
  owner: BreakOwner
  state: 'open' | 'cleared' | 'resolved'
  found_at: Date
  confirmed_at: Date
  ended_at: Date | null
  resolved_by: string | null
  reason: string | null
}

/** What was found, before it is stored. */
export type FoundBreak = Pick<BreakRow, 'account' | 'asset' | 'kind' | 'key' | 'amount' | 'cause' | 'owner'>

/** Excludes other comparisons until the block ends. */
export const lockBreaks = (db: Atomic): void => db.send`select pg_advisory_xact_lock(hashtextextended('breaks', 0))`

/** Breaks that are open, and those that a person resolved, of some accounts. */
export const standing = (db: Db, accounts: readonly string[]): Promise<BreakRow[]> =>
  db.sql`select * from breaks where account = any(${[...accounts]}::text[]) and state in ('open', 'resolved') order by id`

/** Every break, the newest first, or only the open ones. */
export const listed = (db: Db, options: { open: boolean }): Promise<BreakRow[]> =>
  db.sql`select * from breaks where state = 'open' or not ${options.open} order by id desc limit 1000`

export const byId = (db: Db, id: bigint): Promise<BreakRow[]> => db.sql`select * from breaks where id = ${id}`

/** Stores a new break. */
export const insert = (db: Atomic, id: bigint, found: FoundBreak, at: Date): void =>
  db.send`
    insert into breaks (id, account, asset, kind, key, amount, cause, owner, found_at, confirmed_at)
    values (${id}, ${found.account}, ${found.asset}, ${found.kind}, ${found.key}, ${found.amount}, ${found.cause},
      ${found.owner}, ${at}, ${at})`

/** Notes that breaks were found again, and what is known of their causes by now. */
export const confirm = (db: Atomic, found: ReadonlyMap<bigint, Cause>, at: Date): void =>
  db.send`
    update breaks set confirmed_at = ${at}, cause = case state when 'open' then again.cause else breaks.cause end
    from unnest(${[...found.keys()]}::bigint[], ${[...found.values()]}::text[]) as again (id, cause)
    where breaks.id = again.id`

/** Ends breaks that were not found again. */
export const clear = (db: Atomic, ids: readonly bigint[], at: Date): void =>
  db.send`update breaks set state = 'cleared', ended_at = ${at} where id = any(${[...ids]}::bigint[]) and state = 'open'`

/** Resolves an open break. Gives nothing if it is not open. */
export const resolve = (
  db: Db,
  { id, actor, reason, at }: { id: bigint; actor: string; reason: string; at: Date },
): Promise<BreakRow[]> =>
  db.sql`
    update breaks set state = 'resolved', ended_at = ${at}, resolved_by = ${actor}, reason = ${reason}
    where id = ${id} and state = 'open' returning *`
