import { count, duration, list, onOff, optional, setting, url } from '../../platform/lib/setting.ts'

const postgresUrl = url('postgres', 'postgresql')

export const databaseSettings = {
  url: optional(
    'DATABASE_URL',
    'postgres://owner:secret@db.example.com/cambio',
    postgresUrl,
    "The database's owner on PostgreSQL 15 or newer; the embedded database when absent. Live mode needs one.",
  ),
  urls: setting(
    'DATABASE_URLS',
    '',
    list(postgresUrl),
    'Several hosts of one database; the one that accepts writes is used. Wins over DATABASE_URL.',
    'postgres://owner:secret@db1.example.com/cambio,postgres://owner:secret@db2.example.com/cambio',
  ),
  poolSize: setting('DB_POOL_SIZE', '12', count(2, 1_000), 'The most connections that one process keeps.'),
  statementNames: setting('DB_STATEMENT_NAMES', 'on', onOff, 'Named prepared statements; off behind an old pooler.'),
  statementTimeoutMs: setting('DB_STATEMENT_TIMEOUT', 'PT30S', duration(1), 'The longest that one statement may run.'),
}
