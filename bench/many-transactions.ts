import { join } from 'node:path'

import pg from 'pg'

import { findEmbedded } from '../src/platform/db/embedded.ts'
import { openKeyring } from '../src/platform/privacy/data-key.ts'
import { loadSecrets } from '../src/platform/privacy/master-key.ts'
import type { OwnExchange } from './own-exchange.ts'

const batch = 20_000
/** Our ids of what is written here, and public ones: no service that has just started gives out such. */
const firstId = 10n ** 12n
const firstPublicId = 10n ** 15n
/** One in so many of what was written is on hold; a third of the others has expired, the rest is finished. */
const rarity = 10_000
/** Every copy was created so long before the next one. */
const stepMs = 1_000

/** The columns in which a copy differs from its original. `$2` and `$3` are arrays with an element for each copy. */
const different: Record<string, string> = {
  id: 'copy.number + $4::bigint',
  public_id: 'copy.public_id',
  checkout_token: 'null',
  personal: 'copy.personal',
  status: `case when copy.number % ${rarity} = 0 then 'on_hold' when copy.number % 3 = 0 then 'expired' else 'finished' end`,
  external_partner_link_id: `'copy-' || copy.number`,
  created_at: `original.created_at - ($5 - copy.number) * interval '${stepMs} milliseconds'`,
  updated_at: `original.created_at - ($5 - copy.number) * interval '${stepMs} milliseconds' + interval '5 minutes'`,
}

/**
 * Writes copies of a transaction as the owner of the tables, with a quote and a move each, all of one person and from before
 * it. Their personal data is sealed for their places with that person's key, so they can be read like any other.
 */
export async function copyTransaction({ dataDir }: OwnExchange, publicId: string, count: number): Promise<void> {
  const embedded = await findEmbedded(dataDir)
  if (!embedded) throw new Error('The database of the service is gone.')
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  try {
    const seal = await sealer(client, dataDir, publicId)
    const insert = await copying(client)
    await client.query('set synchronous_commit = off')
    for (let done = 0; done < count; done += batch) {
      const size = Math.min(batch, count - done)
      const publicIds = Array.from({ length: size }, (_, index) => firstPublicId + BigInt(done + index))
      await client.query(insert, [publicId, publicIds, publicIds.map(seal), firstId + BigInt(done), count - done])
    }
    await client.query('vacuum (analyze) transactions, quotes, status_history')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** Seals what is personal of a transaction for another place. */
async function sealer(client: pg.Client, dataDir: string, publicId: string): Promise<(copyId: bigint) => Buffer> {
  const { rows } = await client.query<{ personal: Buffer; id: string; wrapped: Buffer }>(
    `select personal, data_keys.id, wrapped from transactions join data_keys on data_keys.id = data_key_id
     where public_id = $1`,
    [publicId],
  )
  const [row] = rows
  if (!row) throw new Error('The transaction to be copied is gone.')
  const secrets = await loadSecrets(join(dataDir, 'master.key'), false)
  const rowIds = { next: () => Promise.reject(new Error('No ids are needed here.')) }
  const key = openKeyring(secrets, rowIds).unwrap(BigInt(row.id), row.wrapped)
  const personal = key.open(row.personal, `transactions:${publicId}`)
  return (copyId) => key.seal(personal, `transactions:${copyId}`)
}

/** The statement that writes a batch. */
async function copying(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ column_name: string }>(
    "select column_name from information_schema.columns where table_name = 'transactions' and table_schema = 'public'",
  )
  const columns = rows.map(({ column_name: name }) => name)
  const values = columns.map((name) => different[name] ?? `original.${name}`)
  return `
    with original as (select * from transactions where public_id = $1),
    copy as (select * from unnest($2::bigint[], $3::bytea[]) with ordinality as copy (public_id, personal, number)),
    written as (
      insert into transactions (${columns.join()}) select ${values.join()} from original, copy returning id, created_at),
    priced as (
      insert into quotes (transaction_id, number, valid_until, quote)
      select written.id, original.quote_number, valid_until, quote from written, original
      join quotes on quotes.transaction_id = original.id and quotes.number = quote_number)
    insert into status_history (transaction_id, kind, occurrence, number, status, at)
    select id, 'created', 1, 1, 'new', created_at from written`
}
