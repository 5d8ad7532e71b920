import { isThisMachine } from '../../platform/lib/this-machine.ts'
import { count, duration, list, optional, setting, url } from '../../platform/lib/setting.ts'

const postgresUrl = url('postgres', 'postgresql')

export const databaseSettings = {
  url: optional(
    'DATABASE_URL',
    'postgres://cambio_service:secret@db.example.com/cambio',
    postgresUrl,
    "The database, PostgreSQL 15 or newer, and the service's own role; by default the embedded database. Required in live mode. In the sandbox it may be the owner.",
  ),
  ownerUrl: optional(
    'DATABASE_OWNER_URL',
    'postgres://cambio:secret@db.example.com/cambio',
    postgresUrl,
    "The database's owner, for `cambio migrate` only. The service refuses it in live mode.",
  ),
  urls: setting(
    'DATABASE_URLS',
    '',
    list(postgresUrl),
    'Several hosts of one database; the one that accepts writes is used. Overrides DATABASE_URL.',
    'postgres://cambio_service:secret@db1.example.com/cambio,postgres://cambio_service:secret@db2.example.com/cambio',
  ),
  poolSize: setting('DB_POOL_SIZE', '12', count(2, 1_000), 'The maximum number of connections per process.'),
  statementTimeoutMs: setting('DB_STATEMENT_TIMEOUT', 'PT30S', duration(1), 'How long one statement may run.'),
}

const encrypted = new Set(['require', 'verify-ca', 'verify-full'])

/**
 * Whether nobody on the way can read or change what is sent to this database: TLS with a verified certificate, or a server on this
 * machine. The driver verifies with `sslmode=require`, too, unless `uselibpqcompat` is set.
 */
export function isSafeDatabase(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  if (isThisMachine(searchParams.get('host') ?? decodeURIComponent(hostname))) return true
  const mode = searchParams.get('sslmode') ?? ''
  return encrypted.has(mode) && (mode === 'verify-full' || !searchParams.has('uselibpqcompat'))
}
