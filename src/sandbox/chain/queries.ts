import type { Atomic, Db } from '../../platform/db/sql.ts'

/** The wallet whose transfers these are: its address, whether memos tell its customers apart, and when transfers to it are final. */
export type Wallet = { chain: string; address: string; usesMemos: boolean; confirmations: number }

/** A transfer that its chain is asked to take. */
export type TransferRow = {
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
  /** Whether the sender's coins never end. */
  isEndless: boolean
  /** The nonce of the wallet's own transfer that this one sends back. */
  returns: string | null
}

/** A transfer to the wallet. `reference` says to which of its addresses and memos. */
export type Arrival = {
  id: bigint
  hash: string
  reference: string
  asset: string
  amount: bigint
  block: bigint
  final_block: bigint
  returns: string | null
  is_dropped: boolean
}

/**
 * Takes transfers into a block and moves the balances, all in one statement. A transfer with a nonce that its sender has used
 * is ignored. What comes to an address that the wallet watches is pooled at its hot address. What a sender does not have fails
 * the statement (a balance below zero). Gives those that came to the wallet.
 */
export const takeTransfers = (db: Db, wallet: Wallet, rows: TransferRow[]): Promise<Arrival[]> =>
  db.sql`
    with asked as (
      select asked.*, case
          when returns is not null then returns
          when watched.address is not null and ${wallet.usesMemos} then watched.address || '?' || watched.memo
          when watched.address is not null then watched.address
          when recipient = ${wallet.address} and ${wallet.usesMemos} then recipient || '?'
          when recipient = ${wallet.address} then recipient
        end as reference
      from unnest(
        ${rows.map((row) => row.hash)}::text[], ${rows.map((row) => row.sender)}::text[],
        ${rows.map((row) => row.nonce)}::text[], ${rows.map((row) => row.recipient)}::text[],
        ${rows.map((row) => row.memo)}::text[], ${rows.map((row) => row.asset)}::text[],
        ${rows.map((row) => row.amount)}::numeric[], ${rows.map((row) => row.feeAsset)}::text[],
        ${rows.map((row) => row.fee)}::numeric[], ${rows.map((row) => row.block)}::bigint[],
        ${rows.map((row) => row.returns)}::text[]
      ) as asked (hash, sender, nonce, recipient, memo, asset, amount, fee_asset, fee, block, returns)
      left join sandbox.deposit_addresses as watched
        on watched.chain = ${wallet.chain} and watched.address = recipient
          and watched.memo = case when ${wallet.usesMemos} then asked.memo else '' end),
    fresh as (
      insert into sandbox.transfers (chain, hash, sender, nonce, recipient, memo, asset, amount, fee_asset, fee, block,
        reference, final_block, returns)
      select ${wallet.chain}, hash, sender, nonce, recipient, memo, asset, amount, fee_asset, fee, block, reference,
        case when reference is not null then block + ${wallet.confirmations}::bigint - 1 end, returns
      from asked
      on conflict (chain, sender, nonce) do nothing
      returning *),
    moved as (
      select case when reference is null then recipient else ${wallet.address} end as address, asset, amount from fresh
      union all
      select sender, asset, -amount from fresh where sender <> all(${endless(rows)}::text[])
      union all
      select sender, fee_asset, -fee from fresh where sender <> all(${endless(rows)}::text[])),
    delta as (select address, asset, sum(amount) as amount from moved group by address, asset having sum(amount) <> 0),
    locked as (
      select address, asset from sandbox.wallets join delta using (address, asset)
      where chain = ${wallet.chain} order by address, asset for update of wallets),
    known as (
      update sandbox.wallets as wallet set balance = balance + delta.amount
      from delta join locked using (address, asset)
      where wallet.chain = ${wallet.chain} and wallet.address = delta.address and wallet.asset = delta.asset
      returning wallet.address, wallet.asset),
    new as (
      insert into sandbox.wallets as wallet (chain, address, asset, balance)
      select ${wallet.chain}, address, asset, amount from delta
      where (address, asset) not in (select address, asset from known) order by address, asset
      on conflict (chain, address, asset) do update set balance = wallet.balance + excluded.balance)
    select id, hash, reference, asset, amount, block, final_block, returns, is_dropped from fresh
    where reference is not null`

const endless = (rows: TransferRow[]): string[] => rows.filter(({ isEndless }) => isEndless).map(({ sender }) => sender)

/** Makes the wallet watch addresses, or memos at its hot address. */
export const watch = (db: Db, rows: { chain: string; address: string; memo: string }[]): Promise<unknown[]> =>
  db.sql`
    insert into sandbox.deposit_addresses (chain, address, memo)
    select * from unnest(${rows.map((row) => row.chain)}::text[], ${rows.map((row) => row.address)}::text[],
      ${rows.map((row) => row.memo)}::text[])
    on conflict do nothing`

/** Transfers to one of the wallet's references, in their order. What was sent back to the wallet is not among them. */
export const arrivals = (db: Db, chain: string, reference: string): Promise<Arrival[]> =>
  db.sql`
    select id, hash, reference, asset, amount, block, final_block, returns, is_dropped from sandbox.transfers
    where chain = ${chain} and reference = ${reference} and returns is null order by id`

/** Who sent a transfer to the wallet. */
export const senderOf = (db: Db, chain: string, hash: string): Promise<{ sender: string }[]> =>
  db.sql`
    select sender from sandbox.transfers
    where chain = ${chain} and hash = ${hash} and reference is not null and returns is null`

/** What the chain knows of the wallet's own transfers, by their nonces. */
export const transfers = (
  db: Db,
  chain: string,
  sender: string,
  nonces: string[],
): Promise<
  {
    nonce: string
    hash: string
    recipient: string
    asset: string
    amount: bigint
    fee_asset: string
    fee: bigint
    block: bigint
  }[]
> =>
  db.sql`
    select nonce, hash, recipient, asset, amount, fee_asset, fee, block from sandbox.transfers
    where chain = ${chain} and sender = ${sender} and nonce = any(${nonces})`

/** What the wallet has of an asset: without what came to it and is not final at a block. */
export const balance = (
  db: Db,
  { chain, address }: Wallet,
  asset: string,
  block: bigint,
): Promise<{ balance: bigint }[]> =>
  db.sql`
    select balance - coalesce((
        select sum(amount) from sandbox.transfers
        where chain = ${chain} and asset = ${asset} and final_block > ${block} and not is_dropped), 0) as balance
    from sandbox.wallets where chain = ${chain} and address = ${address} and asset = ${asset}`

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

/** Changes what a wallet has by something that is no transfer between customers and it. Gives nothing where there is no such wallet. */
export const shift = (
  db: Db,
  { chain, address, asset, by }: { chain: string; address: string; asset: string; by: bigint },
): Promise<{ balance: bigint }[]> =>
  db.sql`
    update sandbox.wallets set balance = balance + ${by}::numeric
    where chain = ${chain} and address = ${address} and asset = ${asset} returning balance`

/**
 * Drops what strangers sent to a reference and what is in a block: the wallet has it no longer. Gives what was dropped.
 */
export const drop = (
  db: Atomic,
  { chain, address }: Wallet,
  { reference, block }: { reference: string; block: bigint },
): Promise<Arrival[]> =>
  db.sql`
    with dropped as (
      update sandbox.transfers set is_dropped = true
      where chain = ${chain} and reference = ${reference} and returns is null and not is_dropped
        and block <= ${block} and sender <> ${address}
      returning *),
    lost as (select asset, sum(amount) as amount from dropped group by asset),
    debited as (
      update sandbox.wallets as wallet set balance = balance - lost.amount from lost
      where wallet.chain = ${chain} and wallet.address = ${address} and wallet.asset = lost.asset)
    select id, hash, reference, asset, amount, block, final_block, returns, is_dropped from dropped order by id`

/** Takes the wallet's own transfers out of their blocks, to be in a later one. Gives those that were in one. */
export const mineAgain = (
  db: Atomic,
  { chain, address }: Wallet,
  { nonces, block, later }: { nonces: string[]; block: bigint; later: bigint },
): Promise<{ nonce: string }[]> =>
  db.sql`
    update sandbox.transfers set block = ${later}
    where chain = ${chain} and sender = ${address} and nonce = any(${nonces}) and block <= ${block}
    returning nonce`

/** One booking of the wallet. `key`: the nonce of the wallet's transfer that left or came back; null for deposits. */
export type BookingRow = {
  hash: string
  key: string | null
  reference: string | null
  asset: string
  amount: bigint
  block: bigint
}

/** Final transfers to the wallet, and transfers that left it, in blocks after one and up to another. */
export const bookings = (db: Db, { chain, address }: Wallet, since: bigint, until: bigint): Promise<BookingRow[]> =>
  db.sql`
    select hash, returns as key, reference, asset, amount, block from sandbox.transfers
    where chain = ${chain} and reference is not null and not is_dropped and final_block between ${since} and ${until}
    union all
    select hash, nonce, null, asset, -amount, block from sandbox.transfers
    where chain = ${chain} and sender = ${address} and block between ${since} and ${until}
    union all
    select hash, nonce, null, fee_asset, -fee, block from sandbox.transfers
    where chain = ${chain} and sender = ${address} and fee > 0 and block between ${since} and ${until}`
