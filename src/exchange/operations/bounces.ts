import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { addressHash } from '../mail/email.ts'
import { badField, fieldRefusal } from '../../platform/lib/refusal.ts'

/**
 * Marks an address whose e-mails came back later, or with `clear` removes its mark. Audited by the address's hash, because the
 * audit has no personal data. Refuses an empty reason, and to clear an address without a mark.
 */
export async function reportBounce(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets'>,
  address: string,
  { reason, actor, clear }: { reason: string; actor: string; clear: boolean },
): Promise<void> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  const [at, toHash] = [ctx.clock.realNow(), addressHash(ctx.secrets, address)]
  await ctx.db.atomic(async (db) => {
    if (clear) {
      const [was] = await db.sql`delete from mail_bounces where to_hash = ${toHash} returning at`
      if (!was) throw fieldRefusal('CONFLICT', 'address', 'This address is not marked.')
    } else {
      db.send`
        insert into mail_bounces (to_hash, at, reason) values (${toHash}, ${at}, ${reason})
        on conflict (to_hash) do update set at = excluded.at, code = null, reason = excluded.reason`
    }
    const action = clear ? 'mail.bounce_cleared' : 'mail.bounced'
    const subject = `mail:${toHash.toString('hex').slice(0, 16)}` as const
    recordAudit(db, { at: ctx.clock.now(), actor, action, subject, before: null, after: { reason } })
  })
}
