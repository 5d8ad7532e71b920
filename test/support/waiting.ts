import type { Exchange } from './exchange.ts'
import { lookup } from './journey.ts'
import { until } from './telling.ts'

/** Resolves when so many of an exchange's connections, or more, wait for what another one holds. */
export const backendsWait = (exchange: Exchange, count: number): Promise<void> =>
  until(async () => {
    const rows = await lookup(
      exchange,
      `select distinct pid from pg_locks where not granted
       and pid in (select pid from pg_stat_activity where datname = current_database())`,
    )
    return rows.length >= count
  }, `${count} who wait`)
