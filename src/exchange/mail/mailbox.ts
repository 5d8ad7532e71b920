import type { Ctx } from '../context.ts'
import { addressHash, type Email, emailPlace, type OrderEmailWriter, type StoredEmail, wholeEmail } from './email.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'

/** An email that the service has sent. */
export type MailboxEntry = Email & { at: Date }

type Row = { id: bigint; dataKeyId: bigint; sealed: Buffer; transactionId: bigint | null; at: Date }

/** Which emails to show: to one address, about one partner's transactions, and how many at most. */
export type MailboxQuery = { to?: string | undefined; partnerId?: bigint | undefined; limit?: number }

/**
 * The emails that the service has sent, newest first, for the sandbox's mailbox, without those of erased persons. Those that are
 * written from an order are left out without `write`.
 */
export async function readMailbox(
  { db, keyring, secrets }: Pick<Ctx, 'db' | 'keyring' | 'secrets'>,
  { to, partnerId, limit = 50 }: MailboxQuery = {},
  write?: OrderEmailWriter,
): Promise<MailboxEntry[]> {
  const toHash = to === undefined ? null : addressHash(secrets, to)
  const rows = await db.sql<Row>`
    select id, data_key_id as "dataKeyId", letter as sealed, transaction_id as "transactionId", at from mails
    where (${toHash}::bytea is null or to_hash = ${toHash})
      and (${partnerId ?? null}::bigint is null or exists (
        select from transactions where transactions.id = mails.transaction_id and partner_id = ${partnerId ?? null}))
    order by at desc, id desc limit ${limit}`
  const entries = await Promise.all(
    rows.map(async ({ id, dataKeyId, sealed, transactionId, at }): Promise<MailboxEntry[]> => {
      try {
        const key = await keyring.get(db, dataKeyId)
        const email = await wholeEmail(key.open<StoredEmail>(sealed, emailPlace(id)), transactionId, write)
        return email ? [{ ...email, at }] : []
      } catch (error) {
        if (error instanceof ErasedPerson) return []
        throw error
      }
    }),
  )
  return entries.flat()
}
