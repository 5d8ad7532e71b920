import type { Atomic, Db } from '../../platform/db/sql.ts'
import { gasPlan } from './sending/queries.ts'

/** Keeps new addresses of orders, on which nothing is yet, and watches them on every chain: on others than the orders' from a day on. */
export const watchAddresses = (
  db: Db,
  network: string,
  rows: { address: string; derivation: bigint }[],
  at: Date,
): Promise<unknown[]> =>
  db.sql`
    with ours as (
      select * from unnest(${rows.map((row) => row.address)}::text[], ${rows.map((row) => row.derivation)}::bigint[])
        as ours (address, derivation)),
    kept as (
      insert into evm_addresses (address, derivation) select address, derivation from ours on conflict do nothing)
    insert into evm_watched (network, address, since, look_at, coins, nonce, block)
    select network, address, ${at}::timestamptz,
      ${at}::timestamptz + case chain_follows.network when ${network} then interval '0' else interval '1 day' end, 0, 0, coalesce(agreed_block, 0)
    from ours cross join chain_follows where family = 'evm' on conflict do nothing`

/** Watches every address of an order on a chain that is new: within a day, so that they don't keep those of open orders waiting. */
export const watchAll = (db: Db, network: string, at: Date): Promise<unknown[]> =>
  db.sql`
    insert into evm_watched (network, address, since, look_at)
    select ${network}, address, ${at}, ${at}::timestamptz + random() * interval '1 day' from evm_addresses where derivation is not null on conflict do nothing`

/** An address that is watched, and what was accounted for when it was last looked at. */
export type Watched = {
  address: string
  since: Date
  coins: bigint | null
  nonce: bigint | null
  block: bigint | null
}

/** Addresses that are due to be looked at, the longest due first, with the block up to which the nodes agree. */
export const dueWatched = (
  db: Db,
  network: string,
  { at, limit }: { at: Date; limit: number },
): Promise<(Watched & { up_to: bigint })[]> =>
  db.sql`
    select address, since, coins, nonce, block, agreed_block as up_to from evm_watched join chain_follows using (network)
    where network = ${network} and look_at <= ${at} and (block is null or block < agreed_block) and agreed_block > 0
    order by look_at, address limit ${limit}`

/** Lets addresses be looked at at a later time. */
export const lookLater = (
  db: Db,
  network: string,
  rows: readonly { address: string }[],
  at: Date,
): Promise<unknown[]> =>
  db.sql`
    update evm_watched set look_at = ${at}
    where network = ${network} and address = any(${rows.map((row) => row.address)}::text[])`

/** Writes down up to where addresses were looked at. Gives those that nobody else has looked at meanwhile. */
export const keepLooked = (
  db: Atomic,
  network: string,
  block: bigint,
  rows: (Watched & { held: { coins: bigint; nonce: bigint }; next: Date })[],
): Promise<{ address: string }[]> =>
  db.sql`
    update evm_watched as watched set coins = looked.coins, nonce = looked.nonce, block = ${block}, look_at = looked.next
    from unnest(${rows.map((row) => row.address)}::text[], ${rows.map((row) => row.block)}::bigint[],
      ${rows.map((row) => row.held.coins)}::numeric[], ${rows.map((row) => row.held.nonce)}::bigint[],
      ${rows.map((row) => row.next)}::timestamptz[]) as looked (address, before, coins, nonce, next)
    where watched.network = ${network} and watched.address = looked.address
      and watched.block is not distinct from looked.before
    returning watched.address`

/** What came to an address by transfers that blocks show, gas from us included, and by contracts as far as it was found. */
export const coinsCame = (
  db: Db,
  network: string,
  { address, asset, above, upTo }: { address: string; asset: string; above: bigint; upTo: bigint },
): Promise<{ amount: bigint }[]> =>
  db.sql`
    select (coalesce((select sum(amount) from evm_arrivals where network = ${network} and address = ${address}
        and asset = ${asset} and (state in ('seen', 'final') or state = 'gone' and hash like '%@%')
        and block > ${above} and block <= ${upTo}), 0)
      + coalesce((select sum(sends.amount) from evm_outgoing as outgoing
        join evm_candidates as candidate on candidate.hash = outgoing.hash
        join evm_sends as sends on sends.id = candidate.send_id and sends.network = outgoing.network
        where outgoing.network = ${network} and outgoing.block > ${above} and outgoing.block <= ${upTo}
          and sends.plan_key like ${`${gasPlan}${address} %`}), 0))::numeric(38, 0) as amount`

/** Our transfers from an address, together for each nonce from one up to below another. */
export const movesFrom = (
  db: Db,
  network: string,
  address: string,
  { from, to }: { from: bigint; to: bigint },
): Promise<{ hashes: string[]; gas: bigint; max_fee: bigint }[]> =>
  db.sql`
    select array_agg(distinct hash) as hashes, max(gas) as gas, max(max_fee) as max_fee from evm_moves cross join unnest(hashes) as hash
    where network = ${network} and address = ${address} and nonce >= ${from} and nonce < ${to} group by nonce order by nonce`

/** Forgets what was accounted for above a block: the chain has left it. */
export const forgetLooks = (db: Atomic, network: string, above: bigint): void =>
  db.send`
    update evm_watched set coins = null, nonce = null, block = null, look_at = least(look_at, since)
    where network = ${network} and block > ${above}`
