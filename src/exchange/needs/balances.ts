import { held } from '../ledger/account.ts'
import { balanceOf } from '../ledger/balance.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { causesOf, type Finding, type NeedSource, timesOf } from './need.ts'

const account = ({ subject }: Finding): string => `balance ${subject}`

/**
 * Accounts that hold too little for payouts that are ordered. `{amount}` is what these need, `{count}` how many they are: of the
 * chain's coin where only that lacks.
 */
export const shortBalances: NeedSource = {
  kind: 'balance',
  permission: 'money.resolve',
  causes: {
    short: {
      urgency: 'now',
      sentence: 'Too little money at {about}: payouts that need {amount} wait for it ({count}). Refill the account.',
    },
  },
  page: () => '/console/money',
  identity: account,
  find: ({ db }, look) => db.sql<Finding>`
    with waiting as (
      select payouts.* from partners
      cross join unnest(array['retail', 'b2b']) as kinds (kind)
      join transactions on transactions.partner_id = partners.id and transactions.kind = kinds.kind
        and transactions.status = 'exchanging'
      join payouts on transaction_id = transactions.id
      union
      select payouts.* from refunds join payouts on refund_id = refunds.id where refunds.state = 'ordered')
    select wanted.cause, place || ' ' || short.asset as subject, min(ordered_at) as since, null as "order", place as about,
      short.asset, sum(short.amount)::numeric(38, 0) as amount, count(*)::integer as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join waiting as payouts on payouts.state = 'waiting' and ordered_at <= before
    cross join lateral (
      select fee_asset <> payouts.asset
        and exists (select 1 from reserves as own where own.place = payouts.place and own.asset = payouts.asset
          and own.covered - own.reserved >= payouts.amount)
        and not exists (select 1 from reserves as coins where coins.place = payouts.place and coins.asset = fee_asset
          and coins.covered - coins.reserved >= most_fee) as lacks_fee) as missing
    cross join lateral (
      select case when lacks_fee then fee_asset else payouts.asset end as asset,
        case when lacks_fee then most_fee
          else payouts.amount + case when fee_asset = payouts.asset then most_fee else 0 end end as amount) as short
    group by wanted.cause, place, short.asset
    order by min(ordered_at), place limit ${look.limit}`,
}

/** Accounts that hold less than the minimum of their level in the settings. `{amount}` is what is available; since the latest payout. */
export const lowBalances: NeedSource = {
  kind: 'balance',
  permission: 'money.resolve',
  causes: {
    low: {
      urgency: 'today',
      sentence: 'Less than its lower bound is left at {about}: {amount}. Refill the account before payouts wait.',
    },
  },
  page: () => '/console/money',
  identity: account,
  find: async ({ db, config, clock }, look) => {
    const levels = config.rebalancing?.levels.filter(({ minimum }) => minimum !== undefined) ?? []
    const rows: Finding[] = []
    for (const level of levels.slice(0, look.limit)) {
      const asset = bookedAsset(level.asset)
      if (!asset || level.minimum === undefined) continue
      const [claim] = await db.sql<{ reserved: bigint; since: Date | null }>`
        select reserved, (
          select ordered_at from payouts where place = ${level.account} and asset = ${asset.id} order by id desc limit 1) as since
        from reserves where place = ${level.account} and asset = ${asset.id}`
      const available = (await balanceOf(db, held(level.account), asset.id)) - (claim?.reserved ?? 0n)
      if (available >= parseAmount(level.minimum, asset)) continue
      const subject = `${level.account} ${asset.id}`
      rows.push({
        cause: 'low',
        subject,
        since: claim?.since ?? clock.now(),
        order: null,
        about: level.account,
        asset: asset.id,
        amount: available < 0n ? 0n : available,
        count: null,
      })
    }
    return rows
  },
}
