import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Payment } from './ledger.ts'

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
