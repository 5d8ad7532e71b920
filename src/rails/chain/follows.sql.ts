import type { Atomic, Db } from '../../platform/db/sql.ts'

/** The real time at which a lease is taken, and until which. */
export type Term = { now: Date; until: Date }

/** The families of chains that are followed. */
export type Family = 'evm' | 'bitcoin' | 'xrpl'

/** How far a chain was read, for the holder of its lease. Ledgers of the XRP Ledger are blocks, too. */
export type Follow = {
  fence: bigint
  first_block: bigint | null
  next_block: bigint | null
  /** Up to here, both nodes report the same. */
  agreed_block: bigint | null
  halted: string | null
  is_passing: boolean
  unsure_since: Date | null
}

/** Makes a chain known. Gives nothing where it was. */
export const openFollow = (db: Db, family: Family, network: string): Promise<unknown[]> =>
  db.sql`
    insert into chain_follows (network, family) values (${network}, ${family})
    on conflict (network) do nothing returning network`

/** Fixes, once, what a chain is known by: its id, its first block, or our account. Gives the one that counts. */
export const keepIdentity = (
  db: Db,
  family: Family,
  network: string,
  identity: string,
): Promise<{ identity: string }[]> =>
  db.sql`
    insert into chain_follows as known (network, family, identity) values (${network}, ${family}, ${identity})
    on conflict (network) do update set identity = coalesce(known.identity, excluded.identity)
    returning identity`

/** Takes or keeps the lease of a chain until a real time. Every new holder raises the fence. Gives nothing to a process that must wait. */
export const takeLease = (db: Db, network: string, holder: string, { now, until }: Term): Promise<Follow[]> =>
  db.sql`
    update chain_follows set holder = ${holder}, lease_until = ${until},
      fence = fence + case when holder is not distinct from ${holder} then 0 else 1 end
    where network = ${network} and (holder is null or holder = ${holder} or lease_until < ${now})
    returning fence, first_block, next_block, agreed_block, halted, is_passing, unsure_since`

/** Gives a lease back, if it is still this holder's. */
export const endLease = (db: Db, network: string, holder: string): Promise<unknown[]> =>
  db.sql`update chain_follows set lease_until = null, holder = null where network = ${network} and holder = ${holder}`

/** Locks a chain for writing; gives nothing to a process that lost the lease. */
export const lockFollow = (db: Atomic, network: string, fence: bigint): Promise<Follow[]> =>
  db.sql`
    select fence, first_block, next_block, agreed_block, halted, is_passing, unsure_since from chain_follows
    where network = ${network} and fence = ${fence} for update`

/** Locks a chain regardless of its lease; a reader under way finds that the cursor has moved, and writes nothing. */
export const lockAnyhow = (db: Atomic, network: string): Promise<{ first_block: bigint | null }[]> =>
  db.sql`select first_block from chain_follows where network = ${network} for update`

/** How far a chain was read, without its lease; `opening`: what was ours when following began, where that is kept. */
export const readFollow = (
  db: Db,
  network: string,
): Promise<(Pick<Follow, 'first_block' | 'next_block' | 'agreed_block'> & { opening: bigint })[]> =>
  db.sql`select first_block, next_block, agreed_block, opening from chain_follows where network = ${network}`

/** Begins to follow a chain above a block, unless another process has begun. Gives nothing then. */
export const beginAt = (db: Db, network: string, block: bigint, opening = 0n): Promise<unknown[]> =>
  db.sql`
    update chain_follows set first_block = ${block}, next_block = ${block + 1n}, agreed_block = ${block}, opening = ${opening}
    where network = ${network} and next_block is null returning network`

/** Writes down up to where a chain has been read. What lies above is not agreed on. */
export const moveOn = (db: Atomic, network: string, nextBlock: bigint): void =>
  db.send`
    update chain_follows set next_block = ${nextBlock}, agreed_block = least(agreed_block, ${nextBlock - 1n})
    where network = ${network}`

/** Writes down up to where both nodes report the same. */
export const keepAgreed = (db: Atomic, network: string, block: bigint): void =>
  db.send`update chain_follows set agreed_block = ${block} where network = ${network} and agreed_block < ${block}`

/** Stops crediting on a chain, and says why. One that is passing ends by itself once the nodes agree. */
export const halt = (db: Atomic, network: string, reason: string, isPassing: boolean): void =>
  db.send`update chain_follows set halted = ${reason}, is_passing = ${isPassing} where network = ${network}`

/** Remembers since when the nodes have not agreed. */
export const noteDoubt = (db: Atomic, network: string, now: Date): void =>
  db.send`update chain_follows set unsure_since = coalesce(unsure_since, ${now}) where network = ${network}`

/** The nodes agree again. */
export const endDoubt = (db: Atomic, network: string): void =>
  db.send`
    update chain_follows set unsure_since = null, halted = null, is_passing = false
    where network = ${network} and (halted is null or is_passing)`

/** A block that was read. */
export type KnownBlock = { number: bigint; hash: string }

/** Keeps blocks that were read, and forgets those far below. */
export const keepBlocks = (db: Atomic, network: string, blocks: readonly KnownBlock[], forgetBelow: bigint): void => {
  db.send`
    insert into chain_blocks (network, number, hash)
    select ${network}, * from unnest(
      ${blocks.map((block) => block.number)}::bigint[], ${blocks.map((block) => block.hash)}::text[])`
  db.send`delete from chain_blocks where network = ${network} and number < ${forgetBelow}`
}

/** The last blocks up to a number that were read, the last one first. */
export const blocksUpTo = (db: Db, network: string, number: bigint, limit: number): Promise<KnownBlock[]> =>
  db.sql`
    select number, hash from chain_blocks where network = ${network} and number <= ${number}
    order by number desc limit ${limit}`

/** Forgets blocks above a number. */
export const dropBlocks = (db: Atomic, network: string, above: bigint): void =>
  db.send`delete from chain_blocks where network = ${network} and number > ${above}`

/** Lets a chain be read again above a block that is known to be in it now. */
export const readAgain = (db: Atomic, network: string, { number, hash }: KnownBlock): void => {
  dropBlocks(db, network, number)
  db.send`
    insert into chain_blocks (network, number, hash) values (${network}, ${number}, ${hash})
    on conflict do nothing`
  moveOn(db, network, number + 1n)
}

/** Lets an operator have a chain read again, also while a process reads it, and ends what stopped it. */
export const rereadFrom = (db: Atomic, network: string, before: KnownBlock): void => {
  db.send`delete from chain_blocks where network = ${network}`
  readAgain(db, network, before)
  db.send`
    update chain_follows set halted = null, is_passing = false, unsure_since = null, fence = fence + 1, holder = null, lease_until = null
    where network = ${network}`
}
