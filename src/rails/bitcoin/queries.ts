import type { Atomic, Db } from '../../platform/db/sql.ts'

/** Writes down what our addresses held when following began: what is known of them by now. */
export const keepOpening = (db: Atomic, network: string): void =>
  db.send`
    update chain_follows set opening = (
      select coalesce(sum(amount), 0) from bitcoin_coins
      where network = ${network} and state = 'final' and spent_by is null)
    where network = ${network}`

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
