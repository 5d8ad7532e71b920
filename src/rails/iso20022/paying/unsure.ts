import type { Atomic } from '../../../platform/db/sql.ts'
import type { UnsurePayments } from '../../unsure.ts'
import type { Bank } from '../bank.ts'
import { endToEndHash } from '../booking/identify.ts'
import { lockBank } from '../lease.ts'
import { sealOrder } from './order.ts'
import { updatePayments } from './queries.ts'

/**
 * A bank pays once more what comes in another file. So what a database that went back in time may have forgotten counts as in a file that
 * it does not know: a status report or a debit says that it was paid, and two operators end it once later statements exclude that.
 */
export const unsurePayments = (bank: Bank): UnsurePayments => ({
  all: (db) => distrustQueued(db, bank.name, bank.clock.realNow()),
  one: ({ key, body: { asset = '', amount = '0', ...rest } }, { since, until }) =>
    bank.db.atomic(async (db) => {
      // No statement is booked meanwhile.
      await lockBank(db, bank.name)
      const body = sealOrder(bank, key, { ...rest, asset, amount })
      const payment = { rail: bank.name, key, asset, amount: BigInt(amount), body }
      if (!(await insertUnsure(db, payment, { since, until }))) return
      const debit = await debitNaming(db, payment, endToEndHash(bank, key))
      if (debit === undefined) return
      const done = { key, state: 'done', code: null, reason: null, debited_by: debit } as const
      updatePayments(db, bank.name, [done], bank.clock.now())
    }),
})

type UnsurePayment = { rail: string; key: string; asset: string; amount: bigint; body: Buffer }

/** Files that are stored count as sent, and what waits for one as in one that was written when it was queued. */
function distrustQueued(db: Atomic, rail: string, at: Date): void {
  db.send`
    update iso20022_payments set unsure_since = ${at}
    where rail = ${rail} and state = 'sent' and batch_id in (
      select id from iso20022_batches where rail = ${rail} and sent_at is null)`
  db.send`update iso20022_batches set sent_at = ${at} where rail = ${rail} and sent_at is null`
  db.send`
    with files as (
      insert into iso20022_batches (rail, message_id, name, checksum, bytes, created_at, sent_at)
      select rail, 'unknown ' || key, 'unknown', '', '', submitted_at, ${at} from iso20022_payments
      where rail = ${rail} and state = 'queued' returning id, message_id)
    update iso20022_payments set state = 'sent', unsure_since = ${at}, batch_id = files.id
    from files where rail = ${rail} and message_id = 'unknown ' || key`
}

/** Gives whether it was not known. */
async function insertUnsure(
  db: Atomic,
  { rail, key, asset, amount, body }: UnsurePayment,
  { since, until }: { since: Date; until: Date },
): Promise<boolean> {
  const rows = await db.sql`
    with file as (
      insert into iso20022_batches (rail, message_id, name, checksum, bytes, created_at, sent_at)
      select ${rail}, 'unknown ' || ${key}, 'unknown', '', '', least(${since}::timestamptz, ${until}), ${until}
      where not exists (select from iso20022_payments where rail = ${rail} and key = ${key}) returning id, created_at)
    insert into iso20022_payments (rail, key, asset, amount, body, state, batch_id, submitted_at, unsure_since)
    select ${rail}, ${key}, ${asset}, ${amount}, ${body}, 'sent', id, created_at, ${until} from file returning key`
  return rows.length > 0
}

/** The debit that a statement has booked while nobody knew the payment that it names; undefined for one with another amount. */
async function debitNaming(
  db: Atomic,
  { rail, key, asset, amount }: UnsurePayment,
  endToEnd: string | null,
): Promise<bigint | undefined> {
  const [debit] = await db.sql<{ id: bigint; kind: string }>`
    update iso20022_bookings as debit set payment_key = ${key}, kind = case
      when amount = ${amount} and not exists (select from own_money where own_money.rail = ${rail} and payment = 'bk_' || debit.id)
      then 'payout' else kind end
    where id = (
      select min(id) from iso20022_bookings
      where rail = ${rail} and asset = ${asset} and end_to_end = ${endToEnd} and direction = 'out' and kind = 'unexplained'
        and state = 'booked' and payment_key is null)
    returning id, kind`
  return debit?.kind === 'payout' ? debit.id : undefined
}
