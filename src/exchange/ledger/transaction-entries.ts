import type { Db } from '../../platform/db/sql.ts'
import type { Posting } from './entry.ts'

/** All postings of one transaction, in ledger order. */
export const postingsOf = (
  db: Db,
  transactionId: bigint,
): Promise<(Posting & { kind: string; at: Date; entry_id: bigint })[]> =>
  db.sql`
    select entry_id, kind, at, debit, credit, asset, amount from entries join postings on entry_id = entries.id
    where transaction_id = ${transactionId} order by entry_id, line`

type OwedQuery = { transactionId: bigint; account: string; asset: string; payoutIds: bigint[] }

/** What a transaction's exchanges owe an account in an asset, less what these payouts have paid. */
export const owedForExchanges = (
  db: Db,
  { transactionId, account, asset, payoutIds }: OwedQuery,
): Promise<{ amount: bigint }[]> =>
  db.sql`
    select coalesce(sum(case credit when ${account} then amount else -amount end), 0)::numeric(38, 0) as amount
    from entries join postings on entry_id = entries.id
    where transaction_id = ${transactionId} and asset = ${asset} and ${account} in (debit, credit)
      and (kind in ('exchange', 'exchange_mirrored')
        or (kind in ('payout_sent', 'payout_returned', 'payout_return_withdrawn', 'payout_failed') and ref = any(${payoutIds})))`

/** What these payouts have sent, without returned and failed ones. Payouts of suspense have no transaction (null). */
export const sentBy = (db: Db, transactionId: bigint | null, payoutIds: bigint[]): Promise<{ amount: bigint }[]> =>
  db.sql`
    select coalesce(sum(case when kind in ('payout_sent', 'payout_return_withdrawn') then amount else -amount end), 0)::numeric(38, 0) as amount
    from entries join postings on entry_id = entries.id
    where (transaction_id = ${transactionId}::bigint or ${transactionId}::bigint is null and transaction_id is null)
      and kind in ('payout_sent', 'payout_returned', 'payout_return_withdrawn', 'payout_failed') and ref = any(${payoutIds})`

/** Numbers of the quotes whose exchange is booked and not reversed, the newest first. */
export const exchangesOf = (db: Db, transactionId: bigint): Promise<{ number: bigint }[]> =>
  db.sql`
    select ref as number from entries where transaction_id = ${transactionId} and kind = 'exchange'
      and not exists (select 1 from entries as mirror
        where mirror.transaction_id = ${transactionId} and mirror.kind = 'exchange_mirrored' and mirror.ref = entries.ref)
    order by ref desc`
