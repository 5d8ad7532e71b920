import type { Ctx } from '../context.ts'
import { commission } from '../ledger/account.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { formatAmount } from '../../platform/money/amount.ts'

/** What a partner earned in one asset in a month (`2026-10`), less what was taken back or paid out, in whole units. */
export type CommissionLine = { month: string; asset: string; amount: string }

/** A partner's commission by month and asset as the ledger has it, the latest month first. Months are in UTC. */
export async function commissionOf({ db }: Pick<Ctx, 'db'>, partnerId: bigint): Promise<CommissionLine[]> {
  const account = commission(partnerId)
  const rows = await db.sql<{ month: string; asset: string; amount: bigint }>`
    select to_char(at at time zone 'UTC', 'YYYY-MM') as month, asset,
      sum(case when credit = ${account} then amount else -amount end)::numeric(38, 0) as amount
    from postings join entries on entries.id = entry_id
    where credit = ${account} or debit = ${account} group by 1, 2 order by 1 desc, 2`
  return rows.flatMap(({ month, asset, amount }) => {
    const known = bookedAsset(asset)
    if (!known) throw new Error(`The catalog does not know ${asset}.`)
    return amount === 0n ? [] : [{ month, asset, amount: formatAmount(amount, known) }]
  })
}
