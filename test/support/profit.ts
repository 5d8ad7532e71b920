import assert from 'node:assert/strict'

import { rateBetween } from '../../src/exchange/pricing/rate.ts'
import { bookedAsset } from '../../src/reference/catalog/sync-assets.ts'
import { profitAndLoss, type ProfitPeriod, type ProfitRow } from '../../src/exchange/treasury/profit.ts'
import { valueAllEntries } from '../../src/exchange/treasury/value-entries.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import { asOwner } from './server.ts'
import { until } from './telling.ts'

/** From before anything was booked until now. */
const always: ProfitPeriod = { since: '2020-01-01', until: '2999-12-31' }

/** The sum of a column over rows. */
export const sumOf = (rows: readonly ProfitRow[], column: Exclude<keyof ProfitRow, 'day' | 'asset'>): bigint =>
  rows.reduce((sum, row) => sum + row[column], 0n)

/** What the accounts of the house hold by the auditor's view, at the middle of the market now, in units of 10^-8 EUR. */
async function houseWorth(ctx: Ctx, ownerUrl: string): Promise<bigint> {
  const rows = await asOwner(ownerUrl, async (client) => {
    const { rows: found } = await client.query<{ asset: string; amount: string }>(
      `select asset, -sum(amount) as amount from audit_postings
       where account in ('position', 'network-fees', 'method-costs', 'hedging-fees')
         or account like 'fees:%' or account like 'losses:%' group by asset`,
    )
    return found
  })
  return rows.reduce((sum, { asset: id, amount }) => {
    const asset = bookedAsset(id) ?? assert.fail(id)
    return sum + (BigInt(amount) * middle(ctx, asset.ticker)) / 10n ** BigInt(asset.decimals + 10)
  }, 0n)
}

function middle(ctx: Ctx, ticker: string): bigint {
  const moment = { market: ctx.market, now: ctx.clock.now(), maxPriceAgeSeconds: Infinity }
  const there = rateBetween(moment, ticker, 'EUR')?.price ?? assert.fail(ticker)
  const back = rateBetween(moment, 'EUR', ticker)?.price ?? assert.fail(ticker)
  const top = there.numerator * back.numerator + back.denominator * there.denominator
  return (top * 10n ** 18n) / (2n * there.denominator * back.numerator)
}

/**
 * Waits until every entry is valued. An entry is valued when no older database transaction runs, in any database of the server: those of
 * other tests may run for longer than a report waits.
 */
export const everythingValued = (ctx: Ctx): Promise<void> =>
  until(async () => {
    await valueAllEntries(ctx)
    return (
      (await ctx.db.sql`select 1 from entries where xid > (select through from valuation_state) limit 1`).length === 0
    )
  }, 'every entry to be valued')

/** All profit and loss until now. Its columns add up in every row, and its total is what the accounts of the house are worth. */
export async function assertProfitAddsUp(ctx: Ctx, ownerUrl: string): Promise<ProfitRow[]> {
  await everythingValued(ctx)
  const rows = await profitAndLoss(ctx, always)
  for (const row of rows) {
    const { spread, fees, methodCosts, networkCosts, hedging, drift, revaluation } = row
    assert.equal(row.total, spread + fees + methodCosts + networkCosts + hedging + drift + revaluation)
  }
  assert.equal(sumOf(rows, 'total'), await houseWorth(ctx, ownerUrl))
  return rows
}

/** The rows up to each day with marks sum up to what the accounts of the house were worth at its end, by the ledger and those marks. */
export async function assertDaysAddUp(ownerUrl: string, rows: readonly ProfitRow[]): Promise<void> {
  const days = await asOwner(ownerUrl, async (client) => {
    const { rows: found } = await client.query<{ day: string; asset: string; amount: string; price: string }>(
      `select to_char(marks.day, 'YYYY-MM-DD') as day, marks.asset, price,
         coalesce((select -sum(amount) from audit_postings join entries on entries.id = entry_id
           where audit_postings.asset = marks.asset and entries.at < (marks.day + 1)::timestamp at time zone 'UTC'
             and (account in ('position', 'network-fees', 'method-costs', 'hedging-fees')
               or account like 'fees:%' or account like 'losses:%')), 0) as amount
       from marks`,
    )
    return found
  })
  assert.ok(days.length > 0, 'no day has ended')
  for (const day of new Set(days.map((one) => one.day))) {
    const worth = days.reduce((sum, { asset: id, amount, price, ...one }) => {
      const asset = bookedAsset(id) ?? assert.fail(id)
      return one.day === day ? sum + (BigInt(amount) * BigInt(price)) / 10n ** BigInt(asset.decimals + 10) : sum
    }, 0n)
    const total = sumOf(
      rows.filter((row) => row.day <= day),
      'total',
    )
    assert.equal(total, worth, day)
  }
}
