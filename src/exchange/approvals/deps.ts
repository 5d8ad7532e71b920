import type { Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import type { Settings } from '../settings.ts'

/** What approvals are made and checked with. */
export type ApprovalDeps = {
  secrets: Pick<Secrets, 'keyFor' | 'sealing'>
  config: Pick<Settings, 'environment'>
  clock: Clock
}

/** What one is made with: `db` is the database, not the block that it is written in. */
export type GivingDeps = ApprovalDeps & { db: Database }
