import type { Atomic, Db } from '../../platform/db/sql.ts'

/** Makes a chain known. */
export const openChain = (db: Db, network: string): Promise<unknown[]> =>
  db.sql`insert into bitcoin_chains (network) values (${network}) on conflict (network) do nothing`

/** Fixes which chain a network is: its first block, once. Gives the one that counts. */
export const keepGenesis = (db: Db, network: string, hash: string): Promise<{ genesis: string }[]> =>
  db.sql`
    insert into bitcoin_chains as known (network, genesis) values (${network}, ${hash})
    on conflict (network) do update set genesis = coalesce(known.genesis, excluded.genesis)
    returning genesis`

/** The cursor of a chain. */
export type ChainRow = {
  fence: bigint
  first_block: bigint | null
  next_block: bigint | null
  final_block: bigint | null
  halted: string | null
  is_passing: boolean
  unsure_since: Date | null
}

/** Takes or keeps the lease of a chain until a real time. Every new holder raises the fence. Gives nothing to a process that must wait. */
export const takeLease = (
  db: Db,
  network: string,
  { holder, now, until }: { holder: string; now: Date; until: Date },
): Promise<ChainRow[]> =>
  db.sql`
    update bitcoin_chains set holder = ${holder}, lease_until = ${until},
      fence = fence + case when holder is not distinct from ${holder} then 0 else 1 end
    where network = ${network} and (holder is null or holder = ${holder} or lease_until < ${now})
    returning fence, first_block, next_block, final_block, halted, is_passing, unsure_since`

/** Gives a lease back, if it is still this holder's. */
export const endLease = (db: Db, network: string, holder: string): Promise<unknown[]> =>
  db.sql`update bitcoin_chains set lease_until = null, holder = null where network = ${network} and holder = ${holder}`

/** Locks a chain for writing; gives nothing to a process that lost the lease. */
export const lockChain = (db: Atomic, network: string, fence: bigint): Promise<ChainRow[]> =>
  db.sql`
    select fence, first_block, next_block, final_block, halted, is_passing, unsure_since from bitcoin_chains
    where network = ${network} and fence = ${fence} for update`

/** Locks a chain regardless of its lease. */
export const lockAnyhow = (db: Atomic, network: string): Promise<{ first_block: bigint | null }[]> =>
  db.sql`select first_block from bitcoin_chains where network = ${network} for update`

/** How far a chain was read, without its lease. */
export const readChain = (
  db: Db,
  network: string,
): Promise<{ first_block: bigint | null; next_block: bigint | null; final_block: bigint | null; opening: bigint }[]> =>
  db.sql`select first_block, next_block, final_block, opening from bitcoin_chains where network = ${network}`

/** Begins to follow a chain above a block, unless another process has begun. Gives nothing then. */
export const beginAt = (db: Atomic, network: string, block: bigint): Promise<unknown[]> =>
  db.sql`
    update bitcoin_chains set first_block = ${block}, next_block = ${block + 1n}, final_block = ${block}
    where network = ${network} and next_block is null returning network`

/** Writes down what our addresses held when following began: what is known of them by now. */
export const keepOpening = (db: Atomic, network: string): void =>
  db.send`
    update bitcoin_chains set opening = (
      select coalesce(sum(amount), 0) from bitcoin_coins
      where network = ${network} and state = 'final' and spent_by is null)
    where network = ${network}`

/** Writes down up to where a chain has been read. */
export const advanceTo = (db: Atomic, network: string, nextBlock: bigint): void =>
  db.send`update bitcoin_chains set next_block = ${nextBlock} where network = ${network}`

/** Goes back to a block. What was final above it is not any more. */
export const returnTo = (db: Atomic, network: string, block: bigint): void =>
  db.send`
    update bitcoin_chains set next_block = ${block + 1n}, final_block = least(final_block, ${block})
    where network = ${network}`

/** Writes down up to which block everything is final. */
export const keepFinal = (db: Atomic, network: string, block: bigint): void =>
  db.send`update bitcoin_chains set final_block = greatest(final_block, ${block}) where network = ${network}`

/** Stops crediting on a chain, and says why. */
export const halt = (db: Atomic, network: string, reason: string, isPassing: boolean): void =>
  db.send`
    update bitcoin_chains set halted = ${reason}, is_passing = ${isPassing} where network = ${network}`

/** Ends a halt that was passing, and the doubt that led to it. */
export const endHalt = (db: Atomic, network: string): void =>
  db.send`
    update bitcoin_chains set halted = null, is_passing = false, unsure_since = null
    where network = ${network} and (halted is null or is_passing)`

/** Writes down since when the nodes have not agreed. */
export const keepDoubt = (db: Atomic, network: string, since: Date): void =>
  db.send`update bitcoin_chains set unsure_since = coalesce(unsure_since, ${since}) where network = ${network}`

/** Stores blocks that were read, and forgets those far below. */
export const keepBlocks = (
  db: Atomic,
  network: string,
  blocks: { number: bigint; hash: string }[],
  forgetBelow: bigint,
): void => {
  db.send`
    insert into bitcoin_blocks (network, number, hash)
    select ${network}, * from unnest(
      ${blocks.map((block) => block.number)}::bigint[], ${blocks.map((block) => block.hash)}::text[])`
  db.send`delete from bitcoin_blocks where network = ${network} and number < ${forgetBelow}`
}

/** The last blocks up to a number that were read, the last one first. */
export const blocksUpTo = (
  db: Db,
  network: string,
  number: bigint,
  limit: number,
): Promise<{ number: bigint; hash: string }[]> =>
  db.sql`
    select number, hash from bitcoin_blocks where network = ${network} and number <= ${number}
    order by number desc limit ${limit}`

/** Lets a chain be read again above a block that is known to be in it now. */
export const rereadFrom = (db: Atomic, network: string, { number, hash }: { number: bigint; hash: string }): void => {
  db.send`delete from bitcoin_blocks where network = ${network}`
  db.send`insert into bitcoin_blocks (network, number, hash) values (${network}, ${number}, ${hash})`
  db.send`
    update bitcoin_chains set halted = null, is_passing = false, unsure_since = null, next_block = ${number + 1n},
      final_block = least(final_block, ${number}), fence = fence + 1, holder = null, lease_until = null
    where network = ${network}`
}

/** Finds or makes the rows of addresses for orders; their keys' positions are the rows' ids. */
export async function ordersRows(
  db: Db,
  network: string,
  orders: bigint[],
): Promise<{ id: bigint; order_id: bigint; script: string | null; address: string | null }[]> {
  await db.sql`
    insert into bitcoin_addresses (network, order_id, branch)
    select ${network}, order_id, 0 from unnest(${orders}::bigint[]) as new (order_id)
    on conflict (network, order_id) do nothing`
  return db.sql`
    select id, order_id, script, address from bitcoin_addresses
    where network = ${network} and order_id = any(${orders})`
}

/** Gives rows of orders their addresses, once. */
export const keepAddresses = (db: Db, rows: { id: bigint; script: string; address: string }[]): Promise<unknown[]> =>
  db.sql`
    update bitcoin_addresses as known set position = known.id, script = new.script, address = new.address
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.script)}::text[],
      ${rows.map((row) => row.address)}::text[]) as new (id, script, address)
    where known.id = new.id and known.script is null`

/** Makes the wallet's own address known. */
export const keepWallet = (
  db: Db,
  network: string,
  { script, address }: { script: string; address: string },
): Promise<unknown[]> =>
  db.sql`
    insert into bitcoin_addresses (network, branch, position, script, address)
    values (${network}, 1, 0, ${script}, ${address}) on conflict (network, script) do nothing`

/** An address of ours, as a script that coins came to. */
export type OwnScript = { id: bigint; script: string; branch: 0 | 1 }

/** Which of these scripts are ours. */
export const ownScripts = (db: Db, network: string, scripts: string[]): Promise<OwnScript[]> =>
  db.sql`
    select id, script, branch from bitcoin_addresses where network = ${network} and script = any(${scripts})`

/** Which of these transfers brought us coins that count. */
export const ownTransfers = (db: Db, network: string, txids: string[]): Promise<{ txid: string }[]> =>
  db.sql`
    select distinct txid from bitcoin_coins
    where network = ${network} and txid = any(${txids}) and state <> 'reversed'`
