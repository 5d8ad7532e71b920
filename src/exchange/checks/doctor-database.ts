import { backupMaxAgeMs } from '../needs/backups.ts'
import type { Ctx } from '../context.ts'
import * as queries from './doctor.sql.ts'

/** One thing that was looked at. `fail`: it stops a customer or can lose money. `warn`: somebody should know. */
export type Check = { check: string; state: CheckState; message: string }
export type CheckState = 'ok' | 'warn' | 'fail'

const ok = (check: string, message: string): Check => ({ check, state: 'ok', message })

/** What must hold for real money, and what a sandbox is only advised of. */
const demanded = ({ config }: Pick<Ctx, 'config'>): CheckState =>
  config.environment.demandsSafeguards ? 'fail' : 'warn'

const oldestMajor = 15
const mostSkewMs = 2_000

/** The database: its version, the way to it, our role, and its clock against ours. Also run when an exchange with real money starts. */
export async function checkDatabase(ctx: Pick<Ctx, 'config' | 'db' | 'clock'>): Promise<Check[]> {
  const before = ctx.clock.realNow().getTime()
  const found = await queries.server(ctx.db)
  const after = ctx.clock.realNow().getTime()
  const major = Math.trunc(found.version / 10_000)
  const skew = Math.max(0, before - found.now.getTime(), found.now.getTime() - after)
  const seconds = Math.round(skew / 1_000)
  return [
    major >= oldestMajor
      ? ok('database version', `PostgreSQL ${major}.`)
      : {
          check: 'database version',
          state: 'fail',
          message: `PostgreSQL ${major}: ${oldestMajor} or newer is needed.`,
        },
    wayOf(ctx, found),
    found.superuser || found.owner
      ? {
          check: 'database role',
          state: 'fail',
          message: 'The service runs as the owner or a superuser. Run: cambio migrate',
        }
      : ok('database role', 'The service runs as its own role.'),
    skew <= mostSkewMs
      ? ok('clock', 'The clocks of this machine and of the database agree.')
      : {
          check: 'clock',
          state: 'fail',
          message: `This machine's clock and the database's differ by ${seconds} seconds.`,
        },
  ]
}

function wayOf(ctx: Pick<Ctx, 'config'>, { tls, local }: queries.ServerRow): Check {
  if (tls) return ok('database tls', 'The connection is encrypted.')
  if (local) return ok('database tls', 'The database is on this machine.')
  return {
    check: 'database tls',
    state: demanded(ctx),
    message: 'The connection is not encrypted: set sslmode=verify-full.',
  }
}

/** Standbys and backups, as far as the database knows of them. */
export async function checkBackups(ctx: Pick<Ctx, 'config' | 'db' | 'clock'>): Promise<Check[]> {
  const { standbys } = await queries.server(ctx.db)
  const known = new Map((await queries.backups(ctx.db)).map(({ what, at }) => [what, at]))
  const [key, database] = [known.get('key'), known.get('database')]
  const isRecent = database && ctx.clock.realNow().getTime() - database.getTime() < backupMaxAgeMs
  const last = database ? `The last confirmed backup is of ${database.toISOString()}.` : 'No backup was ever confirmed.'
  return [
    standbys > 0
      ? ok('database replication', `Standbys: ${standbys}.`)
      : { check: 'database replication', state: 'warn', message: 'No standby is connected.' },
    isRecent
      ? ok('database backup', last)
      : { check: 'database backup', state: 'warn', message: `${last} See: cambio help backup` },
    key
      ? ok('master key', `A copy was checked on ${key.toISOString().slice(0, 10)}.`)
      : {
          check: 'master key',
          state: demanded(ctx),
          message:
            'No copy was checked: without the key all personal data and e-mails are lost. Run: cambio backup confirm key FILE',
        },
  ]
}
