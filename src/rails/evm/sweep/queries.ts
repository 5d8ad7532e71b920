import type { Atomic, Db } from '../../../platform/db/sql.ts'
import { gasPlan } from '../sending/queries.ts'

/** An address of a transaction that holds something, with what makes its key. */
export type Purse = { address: string; asset: string; derivation: bigint }

/** Addresses that hold something of an asset. */
export const addressesHolding = (db: Db, network: string, asset: string): Promise<{ address: string }[]> =>
  db.sql`select address from evm_purses where network = ${network} and asset = ${asset} order by address`

/** Purses that are due to be looked at, the longest due first. */
export const duePurses = (db: Db, network: string, at: Date, limit: number): Promise<Purse[]> =>
  db.sql`
    select address, asset, derivation from evm_purses join evm_addresses using (address)
    where network = ${network} and look_at <= ${at} order by look_at, address limit ${limit}`

/** Which assets an address holds, as far as it was reported. */
export const assetsAt = (db: Db, network: string, address: string): Promise<{ asset: string }[]> =>
  db.sql`select asset from evm_purses where network = ${network} and address = ${address}`

/** Says when a purse is looked at again. */
export const lookAgain = (db: Db, network: string, { address, asset }: Purse, at: Date): Promise<unknown[]> =>
  db.sql`update evm_purses set look_at = ${at} where network = ${network} and address = ${address} and asset = ${asset}`

/** Forgets a purse that was empty at a block, unless something has come there since. */
export const forgetPurse = (db: Db, network: string, { address, asset }: Purse, block: bigint): Promise<unknown[]> =>
  db.sql`
    delete from evm_purses where network = ${network} and address = ${address} and asset = ${asset}
      and not exists (select 1 from evm_arrivals as arrival where arrival.network = ${network}
        and arrival.address = ${address} and arrival.asset = ${asset} and arrival.block > ${block}
        and arrival.state in ('seen', 'final'))`

/** A transfer from an address of a transaction that has not ended. */
export type Move = {
  id: bigint
  address: string
  asset: string
  amount: bigint
  nonce: bigint
  gas: bigint
  max_fee: bigint
  /** What is signed has these. */
  hashes: string[]
  made_at: Date
  /** The price of gas that a signature is asked for with, until it is kept. */
  asked_fee: bigint | null
}

/** The transfer that is on its way from an address. */
export const openMove = (db: Db, network: string, address: string): Promise<Move[]> =>
  db.sql`
    select id, address, asset, amount, nonce, gas, max_fee, hashes, made_at, asked_fee from evm_moves
    where network = ${network} and address = ${address} and state = 'open'`

/** Writes down a transfer before it is signed. A second one from the same address fails the block. */
export const insertMove = (
  db: Atomic,
  network: string,
  move: Pick<Move, 'address' | 'asset' | 'amount' | 'nonce' | 'gas' | 'max_fee' | 'made_at'>,
): Promise<Move[]> =>
  db.sql`
    insert into evm_moves (network, address, asset, amount, nonce, gas, max_fee, hashes, made_at, asked_fee)
    values (${network}, ${move.address}, ${move.asset}, ${move.amount}, ${move.nonce}, ${move.gas}, ${move.max_fee}, '{}',
      ${move.made_at}, ${move.max_fee})
    returning id, address, asset, amount, nonce, gas, max_fee, hashes, made_at, asked_fee`

/** Writes down a higher price before it is signed, unless somebody has raised it since. What has the one before may still be taken. */
export const raiseMove = (db: Atomic, { id, max_fee: fee }: Move, askedFee: bigint): Promise<{ id: bigint }[]> =>
  db.sql`
    update evm_moves set asked_fee = ${askedFee}
    where id = ${id} and state = 'open' and asked_fee is null and max_fee = ${fee} returning id`

/** Keeps what was signed, before it is broadcast. */
export const keepMove = (db: Atomic, { id, asked_fee: fee }: Move, hash: string, at: Date): void => {
  db.send`
    update evm_moves set max_fee = ${fee}, hashes = hashes || ${hash}::text, made_at = ${at}, asked_fee = null
    where id = ${id} and asked_fee = ${fee}`
  db.send`insert into evm_inner (hash) values (${hash}) on conflict do nothing`
}

/** Takes back what was not signed: the higher price, or the whole transfer. */
export const dropAsked = (db: Atomic, { id, asked_fee: fee }: Move): void => {
  db.send`delete from evm_moves where id = ${id} and asked_fee = ${fee} and hashes = '{}'`
  db.send`update evm_moves set asked_fee = null where id = ${id} and asked_fee = ${fee}`
}

/** Writes down that a transfer has ended, and the part of its cost to book. */
export const endMove = (db: Db, id: bigint, cost: bigint | null): Promise<unknown[]> =>
  db.sql`update evm_moves set state = 'done', cost = ${cost} where id = ${id} and state = 'open'`

/**
 * How many plans an address has been brought gas by, the amount of one that is still open, and what came of them since the last
 * transfer from there.
 */
export const gasBrought = (
  db: Db,
  network: string,
  address: string,
): Promise<{ ended: bigint; amount: bigint | null; brought: bigint }[]> =>
  db.sql`
    with last as (
      select coalesce(max(made_at), '-infinity') as at from evm_moves where network = ${network} and address = ${address})
    select count(*) filter (where state <> 'open') as ended, max(amount) filter (where state = 'open') as amount,
      coalesce(sum(amount) filter (where state = 'done' and last.at < (
        select max(made_at) from evm_candidates where send_id = evm_sends.id)), 0)::numeric(38, 0) as brought
    from evm_sends cross join last where network = ${network} and plan_key like ${`${gasPlan}${address} %`}`

/** Takes what was spent and not booked yet. */
export const takeCosts = (db: Atomic, network: string): Promise<{ cost: bigint }[]> =>
  db.sql`
    with sends as (
      update evm_sends set is_charged = true
      where network = ${network} and cost is not null and not is_charged returning cost),
    moves as (
      update evm_moves set is_charged = true
      where network = ${network} and cost is not null and not is_charged returning cost)
    select cost from sends union all select cost from moves`
