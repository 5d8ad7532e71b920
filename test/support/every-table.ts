import pg from 'pg'

import type { Exchange } from './exchange.ts'
import { lookup } from './journey.ts'

/** How many rows each table has, and a digest of what they hold. */
export type Rows = ReadonlyMap<string, { count: number; digest: string }>

/** What changes while nobody does anything, or whenever somebody looks. */
const restless =
  /^(sandbox\.|public\.(used_forms|processes|leases|market_|service_state|sightings|heartbeat|event_relay|worker|sign_in_failures|operator_sessions|portal_sessions|valuation|fold))/

/** When a key was last used is noted a while after its use, and what an account's orders come to once a day. */
const restlessColumns: Readonly<Record<string, readonly string[]>> = {
  'public.api_keys': ['last_used_at'],
  'public.partners': ['volume_cents', 'volume_on'],
}

const tablesSql = `select table_schema || '.' || table_name as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`

/** What reads all tables, on a connection of its own. Views of personal data, which are in the audit, are left out. */
export type RowReader = { read(): Promise<Rows>; close(): Promise<void> }

export async function openRows({ ownerUrl }: Pick<Exchange, 'ownerUrl'>): Promise<RowReader> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(tablesSql)
  const text = tables
    .filter(({ name }) => !restless.test(name))
    .map(({ name }) => {
      const which = name === 'public.audit' ? `where action not like '%.viewed'` : ''
      const columns = restlessColumns[name]
      const row = columns ? `to_jsonb(t) - '{${columns.join()}}'::text[]` : 't'
      return `select '${name}' as name, count(*)::integer as count, coalesce(sum(hashtext((${row})::text)::bigint), 0)::text as digest
        from ${name} as t ${which}`
    })
    .join(' union all ')
  return {
    read: async () => {
      const { rows } = await client.query<{ name: string; count: number; digest: string }>({ name: 'rows', text })
      return new Map(rows.map(({ name, count, digest }) => [name, { count, digest }]))
    },
    close: () => client.end(),
  }
}

/** The tables that hold something else than before. */
export const differing = (before: Rows, after: Rows): string[] =>
  [...after].filter(([name, { digest }]) => before.get(name)?.digest !== digest).map(([name]) => name)

/** By how many rows each table has grown or shrunk. */
export function growth(before: Rows, after: Rows): Record<string, number> {
  const changed = [...after].map(([name, { count }]) => [name, count - (before.get(name)?.count ?? 0)] as const)
  return Object.fromEntries(changed.filter(([, by]) => by !== 0))
}

/** By which actions the latest entries of the audit were made, apart from looking and from what the service did. */
export async function actionsOf(exchange: Exchange, latest: number): Promise<(string | null)[]> {
  const text = `select by_action as name from (
    select by_action, actor from audit where action not like '%.viewed' order by id desc limit $1) as latest
    where actor <> 'system'`
  return (await lookup<{ name: string | null }>(exchange, text, [latest])).map(({ name }) => name)
}
