import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import type { RememberedPayout } from '../../rails/payout-memory.ts'

type StateRow = { exchangeId: string | null; known: string | null; server: string }

/** What the database remembers of itself, and the server that it is on. */
export const lockState = async (db: Atomic): Promise<StateRow> =>
  one(
    await db.sql<StateRow>`
      select exchange_id as "exchangeId", service_state.system_identifier as known, control.system_identifier::text as server
      from service_state, pg_control_system() as control for update of service_state`,
  )

/** Writes down which exchange this is, and on which server. */
export const writeState = (db: Atomic, exchangeId: string, server: string): void =>
  db.send`update service_state set exchange_id = ${exchangeId}, system_identifier = ${server}`

/** Closes the exchange. Gives nothing where it is closed. */
export const close = (db: Atomic, since: Date, reason: string): Promise<unknown[]> =>
  db.sql`
    insert into halts (scope, name, since, reason, halted_by) values ('restored', '', ${since}, ${reason}, 'system')
    on conflict do nothing returning scope`

/** The row that stands for every machine: when operators have opened the exchange, and so accepted what was seen until then. */
const everyMachine = '*'

/** When this machine was here, as far as the database knows. */
export const seenBefore = async (db: Db, machine: string): Promise<Date | null> =>
  one(
    await db.sql<{ at: Date | null }>`
      select max(at) as at from sightings where machine in (${machine}, ${everyMachine})`,
  ).at

/** Notes that this machine is here: each time later than the last, whatever the server's clock says. */
export const beHere = async (db: Db, machine: string): Promise<Date> =>
  one(
    await db.sql<{ at: Date }>`
      insert into sightings (machine, at) values (${machine}, clock_timestamp())
      on conflict (machine) do update set at = greatest(sightings.at + interval '1 millisecond', excluded.at)
      returning at`,
  ).at

/** What is there by now may have been paid out before. */
export const distrust = (db: Atomic, at: Date): void =>
  db.send`update service_state set restored_at = ${at}, restored_below = nextval('row_ids')`

/** Leaves a hundred million ids unused. */
export const skipRowIds = (db: Db): Promise<unknown[]> =>
  db.sql`select max(nextval('row_ids')) from generate_series(1, 100000)`

/** The server that it is on becomes the database's own, and what left until now is known to operators. */
export const open = (db: Atomic, at: Date): void => {
  db.send`
    update service_state set opened_at = ${at},
      system_identifier = (select system_identifier::text from pg_control_system())`
  db.send`
    insert into sightings (machine, at) values (${everyMachine}, clock_timestamp())
    on conflict (machine) do update set at = excluded.at`
}

/** When the last payment was prepared, and when operators have last opened the exchange. */
export const known = async (db: Db): Promise<{ lastPlannedAt: Date | null; openedAt: Date | null }> =>
  one(
    await db.sql<{ lastPlannedAt: Date | null; openedAt: Date | null }>`
      select (select planned_at from plans order by id desc limit 1) as "lastPlannedAt", opened_at as "openedAt" from service_state`,
  )

/** Which of these payments the database knows, as `RAIL KEY`. */
export const knownKeys = async (db: Db, payouts: readonly RememberedPayout[]): Promise<string[]> => {
  const rows = await db.sql<{ name: string }>`
    select plans.rail || ' ' || plan_key as name from plans
    join unnest(${payouts.map(({ rail }) => rail)}::text[], ${payouts.map(({ key }) => key)}::text[]) as wanted (rail, key)
      on wanted.rail = plans.rail and wanted.key = plan_key`
  return rows.map(({ name }) => name)
}

/** Payouts that are still owed and may have left by some rails before the database was found restored, the oldest first. */
export const unsurePayouts = (db: Db, rails: readonly string[]): Promise<{ id: bigint }[]> =>
  db.sql`
    select unsure_payouts.id from unsure_payouts join payouts on payouts.id = unsure_payouts.id
    where state in ('waiting', 'reserved', 'planned') and rail = any(${rails}::text[]) order by unsure_payouts.id limit 1000`
