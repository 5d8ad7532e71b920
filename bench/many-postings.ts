import pg from 'pg'

import { findEmbedded } from '../src/platform/db/embedded.ts'
import type { OwnExchange } from './own-exchange.ts'

/** Ids of entries that are written here: no service that has just started gives out such. */
const firstId = 10n ** 12n
/** Entries of one statement. */
const batch = 200_000

/**
 * Writes copies of the entries of a finished buy, until so many postings are there, each with a transaction and a customer of
 * its own, and one entry of capital for what they took out of our places. All of it is folded, as what is older than a minute
 * is. The digests are those of the original: nothing here reads them. Foreign keys are not looked at while it is written.
 */
export async function writePostings(exchange: OwnExchange, publicId: string, postings: number): Promise<void> {
  await asOwner(exchange, async (client) => {
    await client.query('set synchronous_commit = off; set session_replication_role = replica')
    await client.query(
      `create temporary table copied as
       select entries.*, row_number() over (order by entries.id) as number, count(*) over () as of_copy
       from entries join transactions on transactions.id = transaction_id where public_id = $1`,
      [publicId],
    )
    const { rows } = await client.query<{ entries: number; postings: number }>(
      'select count(distinct id)::int as entries, count(*)::int as postings from copied join postings on entry_id = id',
    )
    const [original] = rows
    if (!original || original.entries === 0) throw new Error('The buy to be copied has not been booked.')
    const copies = Math.ceil(postings / original.postings)
    const step = Math.ceil(batch / original.entries)
    for (let done = 0; done < copies; done += step) {
      await client.query(copying, [String(firstId), done + 1, Math.min(copies, done + step), publicId])
    }
    await client.query(bringCapital, [String(firstId)])
    await client.query(foldAnew)
    await client.query('set session_replication_role = default')
    await client.query('vacuum (analyze) entries, postings, folded_balances')
    await client.query('checkpoint')
  })
}

/** Entries of database transactions that are over, as many as there have been, in their order. */
const copying = `
  with copy as (select number as copy from generate_series($2::bigint, $3::bigint) as number),
  over as (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xids),
  written as (
    insert into entries (id, transaction_id, kind, ref, at, digest, xid)
    select $1::bigint + copy * of_copy + number, $1::bigint + copy, kind, case kind when 'exchange' then ref else $1::bigint + copy end,
      at, digest, (1 + copy % (xids - 1))::text::xid8
    from copy, copied, over)
  insert into postings (entry_id, line, debit, credit, asset, amount)
  select $1::bigint + copy * of_copy + number, line,
    case debit when 'customer:' || $4 then 'customer:' || ($1::bigint + copy) else debit end,
    case credit when 'customer:' || $4 then 'customer:' || ($1::bigint + copy) else credit end, asset, amount
  from copy, copied join postings on postings.entry_id = copied.id order by copy, number, line`

/** What the copies took out of a place is brought there again by the operator, so that every place holds what it held. */
const bringCapital = `
  with gone as (
    select account, asset, sum(amount) as amount from (
      select debit as account, asset, amount from postings where entry_id > $1::bigint
      union all select credit, asset, -amount from postings where entry_id > $1::bigint
    ) as side where account like 'held:%' group by account, asset having sum(amount) <> 0),
  written as (insert into entries (id, kind, ref, at, digest, xid) select $1::bigint, 'capital', $1::bigint, now(), '', '1')
  insert into postings (entry_id, line, debit, credit, asset, amount)
  select $1::bigint, row_number() over (order by account, asset), case when amount < 0 then account else 'capital' end,
    case when amount < 0 then 'capital' else account end, asset, abs(amount) from gone`

const bothSides = `(
  select debit as account, asset, amount, xid from postings join entries on entries.id = entry_id
  union all select credit, asset, -amount, xid from postings join entries on entries.id = entry_id) as side`

const foldAnew = `
  with horizon as (update fold_state set below = pg_snapshot_xmin(pg_current_snapshot()) returning below)
  insert into folded_balances (account, asset, amount)
  select account, asset, sum(amount) from ${bothSides} where account not like 'customer:%' and xid < (select below from horizon)
  group by account, asset
  on conflict (account, asset) do update set amount = excluded.amount`

/** How many entries and postings there are; fails unless they balance, and the folded balances are what they add up to. */
export async function countBalanced(exchange: OwnExchange): Promise<{ entries: number; postings: number }> {
  return asOwner(exchange, async (client) => {
    await client.query('set work_mem = 200000')
    const { rows } = await client.query<{ what: string }>(`
      with sums as (
        select account, asset, sum(amount) as amount, coalesce(sum(amount) filter (where xid < below), 0) as folded
        from ${bothSides}, fold_state group by account, asset)
      select asset as what from sums group by asset having sum(amount) <> 0
      union all
      select account || ' in ' || asset from sums full join folded_balances as kept using (account, asset)
      where account not like 'customer:%' and coalesce(kept.amount, 0) <> coalesce(sums.folded, 0)
      union all select 'entry ' || id from entries where not exists (select from postings where entry_id = id) limit 20`)
    if (rows.length > 0) throw new Error(`The books do not balance: ${rows.map(({ what }) => what).join(', ')}`)
    const { rows: counted } = await client.query<{ entries: number; postings: number }>(
      'select (select count(*) from entries)::int as entries, (select count(*) from postings)::int as postings',
    )
    return counted[0] ?? { entries: 0, postings: 0 }
  })
}

async function asOwner<T>({ dataDir }: OwnExchange, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const embedded = await findEmbedded(dataDir)
  if (!embedded) throw new Error('The database of the service is gone.')
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
