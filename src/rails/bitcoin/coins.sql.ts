import type { Atomic, Db } from '../../platform/db/sql.ts'

/** An output to us, as a block or a mempool has it. `block` is null in a mempool. */
export type IncomingCoin = {
  txid: string
  vout: number
  addressId: bigint
  amount: bigint
  block: bigint | null
  isCoinbase: boolean
  isOwn: boolean
  spends: string[]
}

/** An output to us, as far as it is known. */
export type Coin = {
  id: bigint
  txid: string
  vout: number
  inclusion: number
  address: string
  amount: bigint
  block: bigint | null
  is_own: boolean
  state: 'mempool' | 'seen' | 'final' | 'gone' | 'reversed'
  was_final: boolean
  is_disputed: boolean
}

/** What one transfer of a block or mempool spends of ours. */
export type Spend = { txid: string; vout: number; by: string; block: bigint }

/**
 * Puts known outputs into their blocks: those that were in a mempool, and those that were final, disappeared, and are in a block
 * again. Gives their outpoints.
 */
export const placeCoins = (
  db: Atomic,
  network: string,
  coins: IncomingCoin[],
): Promise<{ txid: string; vout: number }[]> =>
  db.sql`
    update bitcoin_coins as coin set block = moved.block, missing_since = null,
      state = case coin.state when 'gone' then 'final' else 'seen' end
    from unnest(${coins.map((one) => one.txid)}::text[], ${coins.map((one) => one.vout)}::integer[],
      ${coins.map((one) => one.block)}::bigint[]) as moved (txid, vout, block)
    where coin.network = ${network} and coin.txid = moved.txid and coin.vout = moved.vout
      and coin.state in ('mempool', 'gone') and moved.block is not null
    returning coin.txid, coin.vout`

/** Stores new outputs, each as a new inclusion; leaves known ones alone. Gives those that are new. */
export const insertCoins = (db: Atomic, network: string, coins: IncomingCoin[]): Promise<Coin[]> =>
  db.sql`
    with fresh as (
      insert into bitcoin_coins (network, txid, vout, inclusion, address_id, amount, block, is_coinbase, is_own, state,
        is_disputed, spends)
      select ${network}, txid, vout,
        1 + (select count(*) from bitcoin_coins as known where known.network = ${network} and known.txid = new.txid
          and known.vout = new.vout),
        address_id, amount, block, is_coinbase, is_own, case when block is null then 'mempool' else 'seen' end,
        exists (select 1 from bitcoin_coins as known where known.network = ${network} and known.txid = new.txid
          and known.vout = new.vout and known.was_final),
        string_to_array(spends, ' ')
      from unnest(${coins.map((one) => one.txid)}::text[], ${coins.map((one) => one.vout)}::integer[],
        ${coins.map((one) => one.addressId)}::bigint[], ${coins.map((one) => one.amount)}::numeric[],
        ${coins.map((one) => one.block)}::bigint[], ${coins.map((one) => one.isCoinbase)}::boolean[],
        ${coins.map((one) => one.isOwn)}::boolean[], ${coins.map((one) => one.spends.join(' '))}::text[]
      ) as new (txid, vout, address_id, amount, block, is_coinbase, is_own, spends)
      where not exists (select 1 from bitcoin_coins as known where known.network = ${network} and known.txid = new.txid
          and known.vout = new.vout and known.state <> 'reversed')
      returning *)
    select fresh.*, address from fresh join bitcoin_addresses on bitcoin_addresses.id = address_id order by fresh.id`

/** Writes down which blocks spend which of our outputs. */
export const spendCoins = (db: Atomic, network: string, spends: Spend[]): void => {
  if (spends.length === 0) return
  db.send`
    update bitcoin_coins as coin set spent_by = spend.by, spent_block = spend.block
    from unnest(${spends.map((one) => one.txid)}::text[], ${spends.map((one) => one.vout)}::integer[],
      ${spends.map((one) => one.by)}::text[], ${spends.map((one) => one.block)}::bigint[]) as spend (txid, vout, by, block)
    where coin.network = ${network} and coin.txid = spend.txid and coin.vout = spend.vout and coin.state <> 'reversed'`
  db.send`
    update bitcoin_attempts as attempt set block = spend.block
    from unnest(${spends.map((one) => one.by)}::text[], ${spends.map((one) => one.block)}::bigint[]) as spend (by, block)
    where attempt.txid = spend.by`
}

/** Up to which block what is final. A small deposit needs one node, everything else both. */
export type FinalBlocks = { deep: bigint; agreed: bigint; oneNodeBelow: bigint; maturity: number }

/** Makes final what is deep enough. Gives it. */
export const finalize = (
  db: Atomic,
  network: string,
  { deep, agreed, oneNodeBelow, maturity }: FinalBlocks,
): Promise<Coin[]> =>
  db.sql`
    with final as (
      update bitcoin_coins set state = 'final', was_final = true, spends = '{}'
      where network = ${network} and state = 'seen'
        and block <= case when not is_own and amount < ${oneNodeBelow} then ${deep}::bigint else ${agreed}::bigint end
        and (not is_coinbase or block <= ${deep - BigInt(maturity) + 1n})
      returning *)
    select final.*, address from final join bitcoin_addresses on bitcoin_addresses.id = address_id order by final.id`

/** Whether something that was final has disappeared from the chain. */
export const goneCoins = (db: Db, network: string): Promise<unknown[]> =>
  db.sql`select 1 from bitcoin_coins where network = ${network} and state = 'gone' limit 1`

/**
 * Reverses what was final, has disappeared, has been absent for as deep as it was final, and does not wait for another block. Gives
 * it.
 */
export const giveUp = (db: Atomic, network: string, agreed: bigint, waiting: string[]): Promise<Coin[]> =>
  db.sql`
    with lost as (
      update bitcoin_coins set state = 'reversed' where network = ${network} and state = 'gone' and block <= ${agreed}
        and txid <> all(${waiting}::text[])
      returning *)
    select lost.*, address from lost join bitcoin_addresses on bitcoin_addresses.id = address_id order by lost.id`

/**
 * Undoes what came of blocks above one, which are forgotten already. What was not final is in the mempool again, as far as we know: nodes put it there. What was final
 * is gone until its absence is deep.
 */
export const undoAbove = (db: Atomic, network: string, above: bigint): void => {
  db.send`
    update bitcoin_coins set spent_by = null, spent_block = null where network = ${network} and spent_block > ${above}`
  db.send`
    update bitcoin_attempts set block = null
    where block > ${above} and send_id in (select id from bitcoin_sends where network = ${network})`
  db.send`
    update bitcoin_coins set state = case state when 'seen' then 'mempool' else 'gone' end,
      block = case state when 'seen' then null else block end
    where network = ${network} and block > ${above} and state in ('seen', 'final')`
}

/** An output that is in no block, with what its transfer spends. */
export type WaitingCoin = { id: bigint; txid: string; spends: string[]; missing_since: Date | null }

/** The outputs to us that are in no block. */
export const waitingCoins = (db: Db, network: string): Promise<WaitingCoin[]> =>
  db.sql`
    select id, txid, spends, missing_since from bitcoin_coins where network = ${network} and state = 'mempool' order by id`

/** Writes down which of the waiting outputs no node has, and since when; the others are there. */
export const keepMissing = (db: Atomic, network: string, missing: bigint[], now: Date): void =>
  db.send`
    update bitcoin_coins set missing_since = case when id = any(${missing}::bigint[]) then coalesce(missing_since, ${now}) end
    where network = ${network} and state = 'mempool' and (missing_since is not null) <> (id = any(${missing}::bigint[]))`

/** Reverses outputs whose transfer was replaced or dropped. Gives them. */
export const reverseWaiting = (db: Atomic, network: string, ids: bigint[]): Promise<Coin[]> =>
  db.sql`
    with lost as (
      update bitcoin_coins set state = 'reversed'
      where network = ${network} and state = 'mempool' and id = any(${ids}::bigint[]) returning *)
    select lost.*, address from lost join bitcoin_addresses on bitcoin_addresses.id = address_id order by lost.id`

/** What came to one address, in the order in which it was found. */
export const coinsAt = (db: Db, network: string, address: string): Promise<Coin[]> =>
  db.sql`
    select bitcoin_coins.*, address from bitcoin_coins
    join bitcoin_addresses on bitcoin_addresses.id = address_id
    where bitcoin_addresses.network = ${network} and address = ${address} and not is_own
    order by bitcoin_coins.id limit 1000`

/** What our addresses hold: final, and not spent by anything final. */
export const heldIn = (db: Db, network: string): Promise<{ amount: bigint }[]> =>
  db.sql`
    select coalesce(sum(amount), 0) as amount from bitcoin_coins join chain_follows using (network)
    where network = ${network} and state = 'final' and (spent_block is null or spent_block > agreed_block)`
