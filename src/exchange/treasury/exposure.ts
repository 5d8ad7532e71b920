import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import { balancesLike } from '../ledger/queries.ts'
import { capital, expenses, interest, taxes } from '../ledger/account.ts'
import type { Ctx } from '../context.ts'
import { housePatterns } from './house-accounts.ts'
import { pricesAt } from './mark.ts'
import { worthOf } from './valuation.ts'

/** Amounts of a currency across its networks have this many decimals: as many as the finest asset. */
export const exposureDecimals = 18

/**
 * What the house holds (positive) or owes (negative) of one currency, over all its networks, and what that is worth in units of
 * 10^-8 EUR. Capital is not part of it: the owner chose to hold it. `isPriced`: there is a price for it.
 */
export type Exposure = { currency: string; amount: bigint; capital: bigint; worth: bigint; isPriced: boolean }

/** What belongs to the owner, whatever exchanges earn. */
const ownerAccounts: readonly string[] = [capital, expenses, interest, taxes]

/** The exposure in every currency, the largest worth first. */
export async function exposures(ctx: Ctx): Promise<Exposure[]> {
  const patterns = [...housePatterns, ...ownerAccounts]
  const lists = await Promise.all(patterns.map((pattern) => balancesLike(ctx.db, pattern)))
  const prices = await pricesAt(ctx, ctx.clock.now())
  const rows = new Map<string, Exposure>()
  for (const { account, asset: id, amount: debited } of lists.flat()) {
    const asset = bookedAsset(id)
    if (!asset || debited === 0n) continue
    const { ticker, decimals } = asset
    const row = rows.get(ticker) ?? { currency: ticker, amount: 0n, capital: 0n, worth: 0n, isPriced: true }
    rows.set(ticker, row)
    const amount = -debited * tenTo(exposureDecimals - decimals)
    if (ownerAccounts.includes(account)) row.capital += amount
    else {
      row.amount += amount
      row.worth += worthOf(-debited, decimals, prices.markOf(id))
    }
    row.isPriced &&= prices.markOf(id) > 0n
  }
  return [...rows.values()].toSorted((a, b) => (magnitude(a.worth) > magnitude(b.worth) ? -1 : 1))
}

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
