import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { addressHash, letterPlace, mailDue, type NewMail } from './mail.ts'
import * as queries from './queries.ts'

/**
 * Sends a letter with the caller's atomic block: it is stored sealed, and a job takes it to the mail server once the block
 * has committed. Where there is no mail server (the sandbox only) it has arrived with that: the mailbox is its end.
 */
export async function sendMail(
  ctx: Pick<Ctx, 'config' | 'clock' | 'rowIds' | 'queue' | 'secrets'>,
  db: Atomic,
  { to, subject, text, html, dataKey, transactionId }: NewMail,
): Promise<void> {
  const id = await ctx.rowIds.next()
  const at = ctx.clock.now()
  const leaves = ctx.config.mail.smtpUrl !== undefined
  queries.insert(db, {
    id,
    toHash: addressHash(ctx.secrets, to),
    dataKeyId: dataKey.id,
    letter: dataKey.seal({ to, subject, text, html }, letterPlace(id)),
    transactionId: transactionId ?? null,
    at,
    sentAt: leaves ? null : at,
  })
  if (leaves) ctx.queue.enqueue(db, [{ kind: mailDue, key: String(id), runAt: at }])
}
