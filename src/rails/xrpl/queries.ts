import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Payment } from './ledger.ts'

/** Makes the account of a network known. Gives the one that counts. */
export const openAccount = (db: Db, network: string, account: string): Promise<{ account: string }[]> =>
  db.sql`
    insert into xrpl_accounts as known (network, account) values (${network}, ${account})
    on conflict (network) do update set account = known.account returning account`

/** How far an account was read. */
export type AccountRow = { fence: bigint; next_ledger: bigint | null; halted: string | null; unsure_since: Date | null }

/** Takes or keeps the lease of an account until a real time. Every new holder raises the fence. Gives nothing to who must wait. */
export const takeLease = (
  db: Db,
  network: string,
  { holder, now, until }: { holder: string; now: Date; until: Date },
): Promise<AccountRow[]> =>
  db.sql`
    update xrpl_accounts set holder = ${holder}, lease_until = ${until},
      fence = fence + case when holder is not distinct from ${holder} then 0 else 1 end
    where network = ${network} and (holder is null or holder = ${holder} or lease_until < ${now})
    returning fence, next_ledger, halted, unsure_since`

/** Gives a lease back, if it is still this holder's. */
export const endLease = (db: Db, network: string, holder: string): Promise<unknown[]> =>
  db.sql`update xrpl_accounts set lease_until = null, holder = null where network = ${network} and holder = ${holder}`

/** Locks an account for writing; gives nothing to who lost the lease. */
export const lockAccount = (db: Atomic, network: string, fence: bigint): Promise<AccountRow[]> =>
  db.sql`
    select fence, next_ledger, halted, unsure_since from xrpl_accounts
    where network = ${network} and fence = ${fence} for update`

/** Begins after a ledger, unless somebody has begun. */
export const beginAfter = (db: Db, network: string, ledger: bigint, opening: bigint): Promise<unknown[]> =>
  db.sql`
    update xrpl_accounts set first_ledger = ${ledger}, next_ledger = ${ledger + 1n}, opening = ${opening}
    where network = ${network} and next_ledger is null returning network`

export const readAccount = (db: Db, network: string): Promise<{ next_ledger: bigint | null }[]> =>
  db.sql`select next_ledger from xrpl_accounts where network = ${network}`

export const advanceTo = (db: Atomic, network: string, next: bigint): void =>
  db.send`update xrpl_accounts set next_ledger = ${next} where network = ${network}`

/** Remembers since when the nodes have not agreed. */
export const keepDoubt = (db: Atomic, network: string, now: Date): void =>
  db.send`update xrpl_accounts set unsure_since = coalesce(unsure_since, ${now}) where network = ${network}`

export const halt = (db: Atomic, network: string, reason: string): void =>
  db.send`update xrpl_accounts set halted = ${reason} where network = ${network}`

export const endHalt = (db: Atomic, network: string): void =>
  db.send`update xrpl_accounts set halted = null, unsure_since = null where network = ${network}`

/** The tags of orders; an order without one gets a new one. */
export async function tagsOf(db: Db, network: string, orders: bigint[]): Promise<{ order_id: bigint; tag: bigint }[]> {
  await db.sql`
    insert into xrpl_tags (network, order_id)
    select distinct ${network}, id from unnest(${orders}::bigint[]) as asked (id)
    where not exists (select 1 from xrpl_tags where network = ${network} and order_id = id)
    on conflict (network, order_id) do nothing`
  return db.sql`select order_id, tag from xrpl_tags where network = ${network} and order_id = any(${orders})`
}

/**
 * A payment to us, as far as it is known. What one node said of it, and both say otherwise later, is an inclusion that was reversed; what
 * they say is the next one.
 */
export type Arrival = Payment & { inclusion: number; state: 'seen' | 'final' | 'reversed' }

const columnsOf = (payments: readonly Payment[]) => [
  payments.map(({ hash }) => hash),
  payments.map(({ ledger }) => ledger),
  payments.map(({ tag }) => tag),
  payments.map(({ amount }) => amount),
  payments.map(({ arrivedBy }) => arrivedBy),
]

/** Stores payments that a node reports. Known ones are left alone. Gives the new ones. */
export const insertArrivals = (db: Atomic, network: string, payments: readonly Payment[]): Promise<Arrival[]> => {
  const [hashes, ledgers, tags, amounts, ways] = columnsOf(payments)
  return db.sql`
    insert into xrpl_arrivals (network, hash, ledger, tag, amount, arrived_by, state, inclusion)
    select ${network}, hash, ledger, tag, amount, arrived_by, 'seen',
      1 + (select count(*)::int from xrpl_arrivals as known where known.network = ${network} and known.hash = new.hash)
    from unnest(${hashes}::text[], ${ledgers}::bigint[], ${tags}::bigint[], ${amounts}::numeric[], ${ways}::text[])
      with ordinality as new (hash, ledger, tag, amount, arrived_by, position) order by position
    on conflict (network, hash) where state <> 'reversed' do nothing
    returning hash, ledger, tag, amount, arrived_by as "arrivedBy", inclusion, state`
}

/** Makes final what both nodes report, and what is worth so little that one node is enough. Gives it. */
export const finalize = (
  db: Atomic,
  network: string,
  { agreed, hashes, oneNodeBelow }: { agreed: bigint; hashes: string[]; oneNodeBelow: bigint },
): Promise<Arrival[]> =>
  db.sql`
    with done as (
      update xrpl_arrivals set state = 'final'
      where network = ${network} and state = 'seen' and hash = any(${hashes})
        and (ledger <= ${agreed} or amount < ${oneNodeBelow}) returning *)
    select hash, ledger, tag, amount, arrived_by as "arrivedBy", inclusion, state from done order by ledger, hash`

/**
 * Reverses what one node reported and both nodes don't: in the ledgers from one on up to the one that they agree on, or, under a hash that
 * is there, otherwise. Also what was final because it is worth little. Gives it.
 */
export const reverseOthers = (
  db: Atomic,
  network: string,
  { from, agreed, payments }: { from: bigint; agreed: bigint; payments: readonly Payment[] },
): Promise<Arrival[]> => {
  const [hashes, ledgers, tags, amounts, ways] = columnsOf(payments)
  return db.sql`
    with agreed as (
      select * from unnest(${hashes}::text[], ${ledgers}::bigint[], ${tags}::bigint[], ${amounts}::numeric[], ${ways}::text[])
        as agreed (hash, ledger, tag, amount, arrived_by))
    update xrpl_arrivals as known set state = 'reversed'
    where network = ${network} and ledger >= ${from} and state <> 'reversed'
      and (ledger <= ${agreed} or hash in (select hash from agreed))
      and not exists (
        select from agreed where agreed.hash = known.hash and agreed.ledger = known.ledger and agreed.amount = known.amount
          and agreed.tag is not distinct from known.tag and agreed.arrived_by is not distinct from known.arrived_by)
    returning hash, ledger, tag, amount, arrived_by as "arrivedBy", inclusion, state`
}

/** What came with one tag, in the order of the ledger. */
export const arrivalsWith = (db: Db, network: string, tag: bigint): Promise<Arrival[]> =>
  db.sql`
    select hash, ledger, tag, amount, arrived_by as "arrivedBy", inclusion, state from xrpl_arrivals
    where network = ${network} and tag = ${tag} order by ledger, hash, inclusion limit 1000`
