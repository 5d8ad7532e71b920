import { after } from '../../platform/lib/clock.ts'
import { day, type Finding, hour, type NeedSource } from './need.ts'

/** A confirmed backup may be so old: a daily one, and two hours for its run. */
export const backupMaxAgeMs = 26 * hour

/** Backups that are too old, or were never confirmed where real money demands them. Times are real. */
export const oldBackups: NeedSource = {
  kind: 'backup',
  permission: 'system.manage',
  clock: 'real',
  causes: {
    old: {
      urgency: 'today',
      sentence:
        'The last confirmed backup of the database is too old. Ask the people who run the servers why there is no newer one.',
    },
    never: {
      urgency: 'today',
      sentence: 'No backup of the database was ever confirmed. Ask the people who run the servers to set one up.',
    },
    key: {
      urgency: 'today',
      sentence:
        'Nobody has checked that there is a copy of the master key. Without the key all personal data is lost. Ask the people who run the servers.',
    },
  },
  page: () => '/console/system',
  identity: ({ cause }) => (cause === 'key' ? 'backup of the key' : 'backup'),
  find: async ({ db, clock, config }) => {
    const [row] = await db.sql<{ database: Date | null; key: Date | null; began: Date | null }>`
      select (select at from confirmed_backups where what = 'database') as database,
        (select at from confirmed_backups where what = 'key') as key,
        (select min(applied_at) from schema_migrations) as began`
    const { demandsSafeguards } = config.environment
    const began = row?.began ?? clock.realNow()
    const found = (cause: string, subject: string, since: Date): Finding => ({
      cause,
      subject,
      since,
      order: null,
      about: null,
      asset: null,
      amount: null,
      count: null,
    })
    const isOld = row?.database && row.database <= after(clock.realNow(), -backupMaxAgeMs)
    const isYoung = began > after(clock.realNow(), -day)
    return [
      ...(row?.database && isOld ? [found('old', 'database', row.database)] : []),
      ...(!row?.database && demandsSafeguards && !isYoung ? [found('never', 'database', began)] : []),
      ...(!row?.key && demandsSafeguards && !isYoung ? [found('key', 'key', began)] : []),
    ]
  },
}
