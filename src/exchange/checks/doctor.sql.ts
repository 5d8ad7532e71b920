import { type Db, one } from '../../platform/db/sql.ts'

/** What the server says of itself and of our connection. `local`: both ends are on one machine. */
export type ServerRow = {
  version: number
  tls: boolean
  local: boolean
  superuser: boolean
  owner: boolean
  standbys: number
  now: Date
}

export const server = async (db: Db): Promise<ServerRow> =>
  one(
    await db.sql<ServerRow>`
      select current_setting('server_version_num')::integer as version,
        coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as tls,
        coalesce(inet_client_addr() = inet_server_addr(), true) as local,
        rolsuper as superuser,
        exists (select from pg_class where oid = 'entries'::regclass and relowner = pg_roles.oid) as owner,
        (select count(*)::integer from pg_stat_replication) as standbys,
        clock_timestamp() as now
      from pg_roles where rolname = current_user`,
  )

/** Deliveries of the last hour of business time before `now`, and endpoints that fail or were disabled. */
export type WebhookRow = { attempts: number; delivered: number; failing: number; disabled: number }

export const webhooks = async (db: Db, now: Date): Promise<WebhookRow> =>
  one(
    await db.sql<WebhookRow>`
      select attempts, delivered, failing, disabled
      from (
        select count(*)::integer as attempts, (count(*) filter (where outcome = 'delivered'))::integer as delivered
        from webhook_attempts where at > ${now}::timestamptz - interval '1 hour') as recent,
      (
        select (count(*) filter (where status = 'failing'))::integer as failing,
          (count(*) filter (where status = 'disabled'))::integer as disabled
        from webhook_endpoints) as endpoints`,
  )

/** When a backup was confirmed last. */
export const backups = (db: Db): Promise<{ what: 'key' | 'database'; at: Date }[]> =>
  db.sql`select what, at from confirmed_backups`
