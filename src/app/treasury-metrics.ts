import type { Gauge } from '../doors/api/admin.ts'
import type { Ctx } from '../exchange/context.ts'
import { listBalances } from '../exchange/treasury/balances.ts'
import { countHedges, openStates } from '../exchange/treasury/decide-hedge.ts'
import { exposures } from '../exchange/treasury/exposure.ts'
import { decimalsOf } from '../exchange/treasury/mark.ts'
import { unplacedHedges } from '../exchange/treasury/unplaced-hedges.ts'
import { worthDecimals } from '../exchange/treasury/valuation.ts'

/** What the house holds, owes and trades. Balances and exposure have no value that means "none": they have no line then. */
export const treasuryGauges = (ctx: Ctx): Gauge[] => [
  {
    name: 'treasury_exposure_eur',
    help: 'What the house holds (positive) or owes (negative) of a currency, in EUR.',
    labels: ['currency'],
    read: async () =>
      (await exposures(ctx))
        .filter(({ isPriced }) => isPriced)
        .map(({ currency, worth }) => ({ labels: [currency], value: measured(worth, worthDecimals) })),
  },
  {
    name: 'hedges_open',
    help: 'Hedges that have not ended, by state. One that is unknown needs a person.',
    labels: ['state'],
    read: async () => {
      const counts = await countHedges(ctx)
      return openStates.map((state) => ({ labels: [state], value: counts.get(state) ?? 0 }))
    },
  },
  {
    name: 'hedges_unplaced',
    help: 'What should be hedged and cannot be, in whole units of the base currency, by pair and cause.',
    labels: ['pair', 'cause'],
    read: async () =>
      (await unplacedHedges(ctx)).map(({ pair, cause, asset, amount }) => ({
        labels: [pair, cause],
        value: measured(amount, decimalsOf(asset)),
      })),
  },
  {
    name: 'hedges_unplaced_eur',
    help: 'The same in EUR, by the latest price that was known.',
    labels: ['pair', 'cause'],
    read: async () =>
      (await unplacedHedges(ctx)).flatMap(({ pair, cause, cents }) =>
        cents === undefined ? [] : [{ labels: [pair, cause], value: measured(cents, 2) }],
      ),
  },
  {
    name: 'custody_available',
    help: 'What may still be paid out of a custody account, in whole units of the asset.',
    labels: ['account', 'asset'],
    read: async () =>
      (await listBalances(ctx)).map(({ account, asset, available }) => ({
        labels: [account, asset],
        value: measured(available, decimalsOf(asset)),
      })),
  },
]

/** For charts and alerts only: digits beyond the eighth are cut. */
function measured(units: bigint, decimals: number): number {
  const shown = Math.min(decimals, 8)
  return Number.parseInt(String(units / 10n ** BigInt(decimals - shown)), 10) / 10 ** shown
}
