import type { Atomic, Db } from '../../platform/db/sql.ts'
import { forgetLooks } from './by-contract.sql.ts'
import type { IncomingTransfer, Outgoing } from './read-blocks.ts'

/**
 * Reverses what one node reported in blocks where both agree now that it is not there, also what was final with that one alone.
 * What contracts brought was final with both. Gives it.
 */
export const reverseInvented = (
  db: Atomic,
  network: string,
  { from, to, moved }: { from: bigint; to: bigint; moved: readonly IncomingTransfer[] },
): Promise<Arrival[]> =>
  db.sql`
    update evm_arrivals as arrival set state = 'reversed'
    where network = ${network} and state in ('seen', 'final') and hash not like '%@%' and block between ${from} and ${to} and not exists (
      select 1 from unnest(${moved.map((one) => one.hash)}::text[], ${moved.map((one) => one.position)}::integer[],
        ${moved.map((one) => one.to)}::text[], ${moved.map((one) => one.asset)}::text[],
        ${moved.map((one) => one.amount)}::numeric[]) as moved (hash, position, address, asset, amount)
      where moved.hash = arrival.hash and moved.position = arrival.position and moved.address = arrival.address
        and moved.asset = arrival.asset and moved.amount = arrival.amount)
    returning *`

/** Forgets what blocks above a number, which are forgotten already, took from our wallets. */
export const dropOutgoing = (db: Atomic, network: string, above: bigint): void => {
  db.send`delete from evm_outgoing where network = ${network} and block > ${above}`
  forgetLooks(db, network, above)
}

/** Keeps addresses of ours. One that is known is left as it is. */
export const keepAddresses = (db: Db, rows: { address: string; derivation: bigint | null }[]): Promise<unknown[]> =>
  db.sql`
    insert into evm_addresses (address, derivation)
    select * from unnest(${rows.map((row) => row.address)}::text[], ${rows.map((row) => row.derivation)}::bigint[])
    on conflict do nothing`

/** Which of these addresses are ours. */
export const ownAddresses = (db: Db, addresses: string[]): Promise<{ address: string }[]> =>
  db.sql`select address from evm_addresses where address = any(${addresses})`

/** A transfer to us, as far as it is known. */
export type Arrival = {
  id: bigint
  hash: string
  position: number
  inclusion: number
  address: string
  asset: string
  amount: bigint
  block: bigint
  state: 'seen' | 'final' | 'gone' | 'reversed'
  was_final: boolean
  is_disputed: boolean
}

/** Restores transfers that were final, disappeared, and are in a block again. Gives those it restored. */
export const returnArrivals = (
  db: Atomic,
  network: string,
  moved: IncomingTransfer[],
): Promise<{ hash: string; position: number }[]> =>
  db.sql`
    update evm_arrivals as arrival set state = 'final', block = moved.block
    from unnest(${moved.map((one) => one.hash)}::text[], ${moved.map((one) => one.position)}::integer[],
      ${moved.map((one) => one.to)}::text[], ${moved.map((one) => one.asset)}::text[],
      ${moved.map((one) => one.amount)}::numeric[], ${moved.map((one) => one.block)}::bigint[]
    ) as moved (hash, position, address, asset, amount, block)
    where arrival.network = ${network} and arrival.hash = moved.hash and arrival.position = moved.position
      and arrival.address = moved.address and arrival.asset = moved.asset and arrival.amount = moved.amount
      and arrival.state = 'gone'
    returning arrival.hash, arrival.position`

/**
 * Stores transfers to us that are in a block, each as a new inclusion. Known ones are left alone, and so are transfers between
 * our own wallets.
 */
export const insertArrivals = (db: Atomic, network: string, moved: IncomingTransfer[]): Promise<Arrival[]> =>
  db.sql`
    insert into evm_arrivals (network, hash, position, inclusion, address, asset, amount, block, state, is_disputed)
    select ${network}, hash, position,
      1 + (select count(*) from evm_arrivals as known where known.network = ${network} and known.hash = moved.hash
        and known.position = moved.position),
      address, asset, amount, block, 'seen',
      exists (select 1 from evm_arrivals as known where known.network = ${network} and known.hash = moved.hash
        and known.position = moved.position and known.was_final)
    from unnest(${moved.map((one) => one.hash)}::text[], ${moved.map((one) => one.position)}::integer[],
      ${moved.map((one) => one.to)}::text[], ${moved.map((one) => one.asset)}::text[],
      ${moved.map((one) => one.amount)}::numeric[], ${moved.map((one) => one.block)}::bigint[]
    ) as moved (hash, position, address, asset, amount, block)
    where not exists (select 1 from evm_arrivals as known where known.network = ${network} and known.hash = moved.hash
        and known.position = moved.position and known.state in ('seen', 'final'))
      and not exists (select 1 from evm_inner where evm_inner.hash = moved.hash)
    order by block, hash, position
    returning *`

/** What was seen, or has been gone, for long enough. */
export const dueArrivals = (db: Db, network: string, upTo: bigint): Promise<Arrival[]> =>
  db.sql`
    select * from evm_arrivals where network = ${network} and state in ('seen', 'gone') and block <= ${upTo} order by id`

/** Makes final what was seen. Gives it. */
export const finalize = (db: Atomic, ids: readonly bigint[]): Promise<Arrival[]> =>
  db.sql`
    update evm_arrivals set state = 'final', was_final = true where id = any(${ids}) and state = 'seen' returning *`

/** Reverses what was above a block: what was not final at once, what was final once its absence is as deep. */
export const takeBack = (db: Atomic, network: string, above: bigint): Promise<Arrival[]> =>
  db.sql`
    with undone as (
      update evm_arrivals set state = case state when 'seen' then 'reversed' else 'gone' end
      where network = ${network} and block > ${above} and state in ('seen', 'final') returning *)
    select * from undone where state = 'reversed'`

/** Gives up what was final and has not come back. Gives it. */
export const giveUp = (db: Atomic, network: string, upTo: bigint): Promise<Arrival[]> =>
  db.sql`
    update evm_arrivals set state = 'reversed'
    where network = ${network} and state = 'gone' and block <= ${upTo} returning *`

/** Remembers where final deposits lie, so that they are brought to the hot wallet. What came there by itself stays. */
export const fillPurses = (db: Atomic, network: string, arrivals: Arrival[], at: Date): void =>
  db.send`
    insert into evm_purses (network, address, asset, look_at)
    select distinct ${network}, address, filled.asset, ${at}::timestamptz
    from unnest(${arrivals.map((one) => one.address)}::text[], ${arrivals.map((one) => one.asset)}::text[]) as filled (address, asset)
    join evm_addresses using (address) where derivation is not null
    on conflict do nothing`

/** What came to one address on a chain, in the order in which it was found. */
export const arrivalsAt = (db: Db, network: string, address: string): Promise<Arrival[]> =>
  db.sql`select * from evm_arrivals where network = ${network} and address = ${address} order by id limit 1000`

/** Which nonces of our wallets some blocks have used, as far as it is known. */
export const outgoingIn = (db: Db, network: string, { from, to }: { from: bigint; to: bigint }): Promise<Outgoing[]> =>
  db.sql`
    select sender, nonce, hash, block from evm_outgoing where network = ${network} and block between ${from} and ${to}`

/** Keeps which nonces of our wallets a chain has used. */
export const keepOutgoing = (db: Atomic, network: string, rows: Outgoing[]): void =>
  db.send`
    insert into evm_outgoing (network, sender, nonce, hash, block)
    select ${network}, * from unnest(${rows.map((row) => row.sender)}::text[], ${rows.map((row) => row.nonce)}::bigint[],
      ${rows.map((row) => row.hash)}::text[], ${rows.map((row) => row.block)}::bigint[])
    on conflict (network, sender, nonce) do update set hash = excluded.hash, block = excluded.block`
