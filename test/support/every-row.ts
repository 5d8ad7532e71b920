import type { Exchange } from './exchange.ts'
import { lookup } from './journey.ts'

const tables = [
  'transactions',
  'status_history',
  'quotes',
  'entries',
  'postings',
  'deposits',
  'rail_events',
  'payouts',
  'plans',
  'disputes',
  'deposit_reversals',
  'deposit_reinstatements',
  'deposit_rests',
  'events',
  'reserves',
]

/** Every row that work on orders could write, and those of further tables, as text. */
export const everyRow = (exchange: Exchange, further: readonly string[]): Promise<{ row: string }[]> =>
  lookup<{ row: string }>(
    exchange,
    [...tables, ...further].map((name) => `select '${name}' || t::text as row from ${name} as t`).join(' union all ') +
      ' order by 1',
  )
