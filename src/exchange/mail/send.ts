import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { addressHash, type Email, emailPlace, mailDue, type NewEmail } from './email.ts'

/**
 * Sends an email with the caller's atomic block: it is stored sealed, and a job passes it to the mail server once the block has
 * committed. Without a mail server (in the sandbox) it counts as sent at once, and is shown in the mailbox.
 */
export async function sendMail(
  ctx: Pick<Ctx, 'config' | 'clock' | 'rowIds' | 'queue' | 'secrets'>,
  db: Atomic,
  { dataKey, transactionId, ...email }: NewEmail,
): Promise<void> {
  const id = await ctx.rowIds.next()
  const at = ctx.clock.now()
  const hasServer = ctx.config.mail.smtpUrl !== undefined
  const sealed = dataKey.seal(email satisfies Email, emailPlace(id))
  db.send`
    insert into mails (id, to_hash, data_key_id, letter, transaction_id, at, sent_at)
    values (${id}, ${addressHash(ctx.secrets, email.to)}, ${dataKey.id}, ${sealed}, ${transactionId ?? null}, ${at}, ${hasServer ? null : at})`
  if (hasServer) ctx.queue.enqueue(db, [{ kind: mailDue, key: String(id), runAt: at }])
}
