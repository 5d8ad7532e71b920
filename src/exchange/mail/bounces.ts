import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { addressHash } from './email.ts'

/** That e-mails do not reach an address. `code` is the mail server's reply; null where an operator reported a bounce. */
export type Bounce = { at: Date; code: number | null; reason: string }

/** Marks an address, by its hash, that the mail server will never deliver to. */
export const markRefused = (db: Atomic, toHash: Buffer, { at, code }: { at: Date; code: number }): void =>
  db.send`
    insert into mail_bounces (to_hash, at, code, reason) values (${toHash}, ${at}, ${code}, 'refused by the mail server')
    on conflict (to_hash) do update set at = excluded.at, code = excluded.code, reason = excluded.reason`

/** An address works: its owner has entered a code that was sent there. */
export const clearBounce = ({ secrets }: Pick<Ctx, 'secrets'>, db: Atomic, address: string): void =>
  db.send`delete from mail_bounces where to_hash = ${addressHash(secrets, address)}`

/** What is known of an address; undefined if nothing bounced. */
export async function findBounce(
  { db, secrets }: Pick<Ctx, 'db' | 'secrets'>,
  address: string,
): Promise<Bounce | undefined> {
  const [row] = await db.sql<Bounce>`
    select at, code, reason from mail_bounces where to_hash = ${addressHash(secrets, address)}`
  return row
}
