import type { Ctx } from '../context.ts'
import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { addressHash, emailPlace, mailDue, type NewEmail } from './email.ts'

const mails = rowWriter('mails', {
  id: 'bigint',
  toHash: 'bytea',
  dataKeyId: 'bigint',
  letter: 'bytea',
  transactionId: 'bigint',
  at: 'timestamptz',
  sentAt: 'timestamptz',
})

/** Sends one email with the caller's atomic block, as `sendMails` does. */
export const sendMail = (ctx: Deps, db: Atomic, email: NewEmail): Promise<void> => sendMails(ctx, db, [email])

type Deps = Pick<Ctx, 'config' | 'clock' | 'rowIds' | 'queue' | 'secrets'>

/**
 * Sends emails with the caller's atomic block: they are stored sealed by one statement, and jobs pass them to the mail server once
 * the block has committed. Without a mail server (in the sandbox) they count as sent at once, and are shown in the mailbox.
 */
export async function sendMails(ctx: Deps, db: Atomic, emails: readonly NewEmail[]): Promise<void> {
  if (emails.length === 0) return
  const at = ctx.clock.now()
  const hasServer = ctx.config.mail.smtpUrl !== undefined
  const rows = []
  for (const { dataKey, transactionId = null, ...email } of emails) {
    const id = await ctx.rowIds.next()
    const toHash = addressHash(ctx.secrets, email.to)
    const letter = dataKey.seal(email, emailPlace(id))
    rows.push({ id, toHash, dataKeyId: dataKey.id, letter, transactionId, at, sentAt: hasServer ? null : at })
  }
  mails.insert(db, rows)
  if (hasServer) {
    ctx.queue.enqueue(
      db,
      rows.map(({ id }) => ({ kind: mailDue, key: String(id), runAt: at })),
    )
  }
}
