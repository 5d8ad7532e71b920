import type { Atomic, Db } from '../../db/sql.ts'

/** How a payment at the sandbox's card processor stands. */
export type CardState = 'open' | 'challenge' | 'captured' | 'declined' | 'voided' | 'charged_back'

/** What one attempt to pay comes to. */
export type AttemptRow = {
  id: bigint
  reference: string
  asset: string
  amount: bigint
  merchantReturn: string
  state: CardState
  at: Date
}

/**
 * Writes attempts down. A payment that was captured stays captured: whoever pays twice, pays once. Gives what changed.
 */
export const writeAttempts = (
  db: Db,
  rows: AttemptRow[],
): Promise<{ id: bigint; reference: string; state: CardState; attempts: number; asset: string; amount: bigint }[]> =>
  db.sql`
    insert into sandbox.card_payments as payment (id, reference, asset, amount, merchant_return, state, attempts, created_at)
    select id, reference, asset, amount, merchant_return, state, 1, at from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.reference)}::text[],
      ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[],
      ${rows.map((row) => row.merchantReturn)}::text[], ${rows.map((row) => row.state)}::text[],
      ${rows.map((row) => row.at.toISOString())}::timestamptz[]
    ) as attempt (id, reference, asset, amount, merchant_return, state, at)
    on conflict (reference) do update
      set state = excluded.state, attempts = payment.attempts + 1, amount = excluded.amount, asset = excluded.asset
      where payment.state in ('open', 'challenge', 'declined')
    returning id, reference, state, attempts, asset, amount`

/** How a payment stands; nothing if nobody has tried yet. */
export const payment = (
  db: Db,
  reference: string,
): Promise<{ id: bigint; state: CardState; attempts: number; asset: string; amount: bigint }[]> =>
  db.sql`select id, state, attempts, asset, amount from sandbox.card_payments where reference = ${reference}`

/** Owes callbacks to the merchant. Gives their ids. */
export const insertCallbacks = (db: Db, rail: string, bodies: string[], at: Date): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into sandbox.callbacks (rail, body, next_at)
    select ${rail}, body, ${at} from unnest(${bodies}::json[]) as callback (body) returning id`

/** Callbacks that are owed, as they were written. */
export const callbacks = (db: Db, ids: bigint[]): Promise<{ id: bigint; rail: string; body: string }[]> =>
  db.sql`select id, rail, body::text as body from sandbox.callbacks where id = any(${ids}) order by id`

/** Callbacks that the merchant has taken. */
export const removeCallbacks = (db: Atomic, ids: bigint[]): void =>
  db.send`delete from sandbox.callbacks where id = any(${ids})`

/** A transfer that a wallet asks its chain to take. */
export type TransferRow = {
  chain: string
  hash: string
  sender: string
  nonce: string
  recipient: string
  memo: string
  asset: string
  amount: bigint
  feeAsset: string
  fee: bigint
  block: bigint
}

/**
 * Takes transfers into a block and moves the balances, all in one statement. A transfer with a nonce that its sender has
 * used is ignored. What a sender does not have fails the statement.
 */
export const takeTransfers = (db: Db, rows: TransferRow[]): Promise<{ taken: bigint }[]> =>
  db.sql`
    with fresh as (
      insert into sandbox.transfers (chain, hash, sender, nonce, recipient, memo, asset, amount, fee_asset, fee, block)
      select * from unnest(
        ${rows.map((row) => row.chain)}::text[], ${rows.map((row) => row.hash)}::text[],
        ${rows.map((row) => row.sender)}::text[], ${rows.map((row) => row.nonce)}::text[],
        ${rows.map((row) => row.recipient)}::text[], ${rows.map((row) => row.memo)}::text[],
        ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[],
        ${rows.map((row) => row.feeAsset)}::text[], ${rows.map((row) => row.fee)}::numeric[],
        ${rows.map((row) => row.block)}::bigint[])
      on conflict (chain, sender, nonce) do nothing
      returning chain, sender, recipient, asset, amount, fee_asset, fee),
    spent as (
      select chain, sender, asset, sum(amount) as amount from (
        select chain, sender, asset, amount from fresh
        union all
        select chain, sender, fee_asset, fee from fresh) as both_costs
      group by chain, sender, asset),
    debited as (
      update sandbox.wallets set balance = balance - spent.amount from spent
      where wallets.chain = spent.chain and wallets.address = spent.sender and wallets.asset = spent.asset
      returning 1),
    credited as (
      insert into sandbox.wallets as wallet (chain, address, asset, balance)
      select chain, recipient, asset, sum(amount) from fresh group by chain, recipient, asset
      on conflict (chain, address, asset) do update set balance = wallet.balance + excluded.balance
      returning 1)
    select count(*) as taken from fresh`

/** What the chain knows of transfers, by their sender's nonces. */
export const transfers = (
  db: Db,
  chain: string,
  sender: string,
  nonces: string[],
): Promise<{ nonce: string; hash: string; fee_asset: string; fee: bigint; block: bigint }[]> =>
  db.sql`
    select nonce, hash, fee_asset, fee, block from sandbox.transfers
    where chain = ${chain} and sender = ${sender} and nonce = any(${nonces})`

/** What an address has of an asset. */
export const balance = (db: Db, chain: string, address: string, asset: string): Promise<{ balance: bigint }[]> =>
  db.sql`select balance from sandbox.wallets where chain = ${chain} and address = ${address} and asset = ${asset}`

/** Gives a new wallet its first balance; one that exists is left as it is. Gives a row if it was new. */
export const fund = (
  db: Db,
  chain: string,
  address: string,
  asset: string,
  amount: bigint,
): Promise<{ balance: bigint }[]> =>
  db.sql`
    insert into sandbox.wallets (chain, address, asset, balance) values (${chain}, ${address}, ${asset}, ${amount})
    on conflict do nothing returning balance`

/** Arms a fault: the next call about this reference goes wrong in that way. */
export const armFault = (db: Db, reference: string, type: string, at: Date): Promise<unknown[]> =>
  db.sql`insert into sandbox.faults (reference, type, armed_at) values (${reference}, ${type}, ${at})`

/** Takes armed faults of one type, so that each strikes once. */
export const takeFaults = (db: Db, references: string[], type: string): Promise<{ reference: string }[]> =>
  db.sql`delete from sandbox.faults where reference = any(${references}) and type = ${type} returning reference`
