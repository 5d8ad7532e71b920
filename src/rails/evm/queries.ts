import type { Atomic, Db } from '../../platform/db/sql.ts'
import { forgetLooks } from './by-contract.sql.ts'
import type { Block, IncomingTransfer, Outgoing } from './read-blocks.ts'

/** Makes a chain known. Gives nothing where it was. */
export const openChain = (db: Db, network: string): Promise<unknown[]> =>
  db.sql`insert into evm_chains (network) values (${network}) on conflict (network) do nothing returning network`

/** Fixes which chain a network is: its id, once. Gives the id that counts. */
export const keepChainId = (db: Db, network: string, id: bigint): Promise<{ chain_id: bigint }[]> =>
  db.sql`
    insert into evm_chains as known (network, chain_id) values (${network}, ${id})
    on conflict (network) do update set chain_id = coalesce(known.chain_id, excluded.chain_id)
    returning chain_id`

/** The cursor of a chain, for the holder of its lease. */
export type LeaseRow = {
  fence: bigint
  next_block: bigint | null
  /** Up to here, both nodes report the same. */
  agreed_block: bigint | null
  halted: string | null
  is_passing: boolean
  unsure_since: Date | null
}

/** Takes or keeps the lease of a chain until a real time. Every new holder raises the fence. Gives nothing to who must wait. */
export const takeLease = (
  db: Db,
  network: string,
  { holder, now, until }: { holder: string; now: Date; until: Date },
): Promise<LeaseRow[]> =>
  db.sql`
    update evm_chains set holder = ${holder}, lease_until = ${until},
      fence = fence + case when holder is not distinct from ${holder} then 0 else 1 end
    where network = ${network} and (holder is null or holder = ${holder} or lease_until < ${now})
    returning fence, next_block, agreed_block, halted, is_passing, unsure_since`

/** Gives a lease back, if it is still this holder's. */
export const endLease = (db: Db, network: string, holder: string): Promise<unknown[]> =>
  db.sql`update evm_chains set lease_until = null, holder = null where network = ${network} and holder = ${holder}`

/** Locks a chain for writing; gives nothing to who lost the lease. */
export const lockChain = (db: Atomic, network: string, fence: bigint): Promise<LeaseRow[]> =>
  db.sql`
    select fence, next_block, agreed_block, halted, is_passing, unsure_since from evm_chains
    where network = ${network} and fence = ${fence} for update`

/** Begins to follow a chain above a block, unless somebody has begun. Gives nothing then. */
export const beginAt = (db: Atomic, network: string, block: bigint): Promise<unknown[]> =>
  db.sql`
    update evm_chains set first_block = ${block}, next_block = ${block + 1n}, agreed_block = ${block}
    where network = ${network} and next_block is null returning network`

/** The block whose state the following of a chain began with, and the one up to which both nodes report the same. */
export type Cursor = { first_block: bigint; agreed_block: bigint }

/** The cursor of a chain that somebody has begun to follow. */
export const readCursor = (db: Db, network: string): Promise<Cursor[]> =>
  db.sql`
    select first_block, coalesce(agreed_block, first_block) as agreed_block from evm_chains
    where network = ${network} and first_block is not null`

/** Locks a chain regardless of its lease; a reader under way finds that the cursor has moved, and writes nothing. */
export const lockAnyhow = (db: Atomic, network: string): Promise<{ first_block: bigint | null }[]> =>
  db.sql`select first_block from evm_chains where network = ${network} for update`

/** Lets a chain be read again above a block that is known to be in it now. */
export const readAgain = (db: Atomic, network: string, { number, hash }: { number: bigint; hash: string }): void => {
  dropBlocks(db, network, number)
  db.send`
    insert into evm_blocks (network, number, hash) values (${network}, ${number}, ${hash})
    on conflict do nothing`
  moveOn(db, network, number + 1n)
}

/** Lets an operator have a chain read again, also while a process reads it, and ends what stopped it. */
export const rereadFrom = (db: Atomic, network: string, before: { number: bigint; hash: string }): void => {
  db.send`delete from evm_blocks where network = ${network}`
  readAgain(db, network, before)
  db.send`
    update evm_chains set halted = null, is_passing = false, unsure_since = null, fence = fence + 1, holder = null, lease_until = null
    where network = ${network}`
}

/** Writes down up to where a chain has been read. */
export const moveOn = (db: Atomic, network: string, nextBlock: bigint): void =>
  db.send`
    update evm_chains set next_block = ${nextBlock}, agreed_block = least(agreed_block, ${nextBlock - 1n})
    where network = ${network}`

/** Writes down up to where both nodes report the same. */
export const keepAgreed = (db: Atomic, network: string, block: bigint): void =>
  db.send`update evm_chains set agreed_block = ${block} where network = ${network} and agreed_block < ${block}`

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

/** Stops crediting on a chain, and says why. One that is passing ends by itself once the nodes agree. */
export const halt = (db: Atomic, network: string, reason: string, isPassing: boolean): void =>
  db.send`update evm_chains set halted = ${reason}, is_passing = ${isPassing} where network = ${network}`

/** Remembers since when the nodes have not agreed. */
export const keepDoubt = (db: Atomic, network: string, now: Date): void =>
  db.send`update evm_chains set unsure_since = coalesce(unsure_since, ${now}) where network = ${network}`

/** The nodes agree again. */
export const endDoubt = (db: Atomic, network: string): void =>
  db.send`update evm_chains set unsure_since = null, halted = null, is_passing = false where network = ${network}`

/** Keeps blocks that were read, and forgets those far below. */
export const keepBlocks = (db: Atomic, network: string, blocks: Block[], forgetBelow: bigint): void => {
  db.send`
    insert into evm_blocks (network, number, hash)
    select ${network}, * from unnest(
      ${blocks.map((block) => block.number)}::bigint[], ${blocks.map((block) => block.hash)}::text[])`
  db.send`delete from evm_blocks where network = ${network} and number < ${forgetBelow}`
}

/** The last blocks up to a number that were read, the last one first. */
export const blocksUpTo = (
  db: Db,
  network: string,
  number: bigint,
  limit: number,
): Promise<{ number: bigint; hash: string }[]> =>
  db.sql`
    select number, hash from evm_blocks where network = ${network} and number <= ${number}
    order by number desc limit ${limit}`

/** Forgets blocks above a number, and what they took from our wallets. */
export const dropBlocks = (db: Atomic, network: string, above: bigint): void => {
  db.send`delete from evm_blocks where network = ${network} and number > ${above}`
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
