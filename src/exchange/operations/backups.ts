import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { loadSecrets } from '../../platform/privacy/master-key.ts'

/** Who confirms a backup, for the audit. */
type By = { actor: string }

/** Checks that a file is a copy of the master key, and writes down that there is one. Audited. Refuses any other file. */
export async function confirmKeyBackup(ctx: Ctx, file: string, { actor }: By): Promise<{ at: Date }> {
  const copy = await loadSecrets(file, false)
  if (!copy.mark.equals(ctx.secrets.mark)) throw new Refusal('CONFLICT', 'This file is not a copy of the master key.')
  return confirm(ctx, 'key', actor)
}

/** Writes down that this database was backed up now: for the end of the operator's backup program. Audited. */
export const confirmDatabaseBackup = (ctx: Ctx, { actor }: By): Promise<{ at: Date }> => confirm(ctx, 'database', actor)

async function confirm(ctx: Ctx, what: 'key' | 'database', actor: string): Promise<{ at: Date }> {
  const at = ctx.clock.realNow()
  await ctx.db.atomic((db) => {
    db.send`
      insert into confirmed_backups (what, at, confirmed_by) values (${what}, ${at}, ${actor})
      on conflict (what) do update set at = excluded.at, confirmed_by = excluded.confirmed_by`
    const after = { at: at.toISOString() }
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'backup.confirmed',
      subject: `backup:${what}`,
      before: null,
      after,
    })
    return Promise.resolve()
  })
  return { at }
}
