import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { addressHash, emailPlace, mailDue, type NewEmail } from './email.ts'

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
  const ids: bigint[] = []
  const [hashes, keys, sealed]: [Buffer[], bigint[], Buffer[]] = [[], [], []]
  const about: (bigint | null)[] = []
  for (const { dataKey, transactionId = null, ...email } of emails) {
    const id = await ctx.rowIds.next()
    ids.push(id)
    hashes.push(addressHash(ctx.secrets, email.to))
    keys.push(dataKey.id)
    sealed.push(dataKey.seal(email, emailPlace(id)))
    about.push(transactionId)
  }
  db.send`
    insert into mails (id, to_hash, data_key_id, letter, transaction_id, at, sent_at)
    select id, to_hash, data_key_id, sealed, transaction_id, ${at}, ${hasServer ? null : at}
    from unnest(${ids}::bigint[], ${hashes}::bytea[], ${keys}::bigint[], ${sealed}::bytea[], ${about}::bigint[])
      as new (id, to_hash, data_key_id, sealed, transaction_id)`
  if (hasServer) {
    ctx.queue.enqueue(
      db,
      ids.map((id) => ({ kind: mailDue, key: String(id), runAt: at })),
    )
  }
}
