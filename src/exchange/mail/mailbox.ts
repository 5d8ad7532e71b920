import type { Ctx } from '../context.ts'
import { addressHash, type Letter, letterPlace } from './mail.ts'
import * as queries from './queries.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'

/** A letter that the service has sent. */
export type MailboxEntry = Letter & { at: Date }

/** Which letters to show: to one address, about one partner's transactions, and how many at most. */
export type MailboxQuery = { to?: string | undefined; partnerId?: bigint | undefined; limit?: number }

/** The letters that the service has sent, newest first, for the sandbox's mailbox. Those of erased persons are left out. */
export async function readMailbox(
  { db, keyring, secrets }: Pick<Ctx, 'db' | 'keyring' | 'secrets'>,
  { to, partnerId, limit = 50 }: MailboxQuery = {},
): Promise<MailboxEntry[]> {
  const toHash = to === undefined ? null : addressHash(secrets, to)
  const rows = await queries.newest(db, { toHash, partnerId: partnerId ?? null, limit })
  const entries = await Promise.all(
    rows.map(async ({ id, dataKeyId, letter, at }): Promise<MailboxEntry[]> => {
      try {
        const key = await keyring.get(db, dataKeyId)
        return [{ ...key.open<Letter>(letter, letterPlace(id)), at }]
      } catch (error) {
        if (error instanceof ErasedPerson) return []
        throw error
      }
    }),
  )
  return entries.flat()
}
