import { day } from '../../exchange/actions/values.ts'
import type { Ctx } from '../../exchange/context.ts'
import { type Exposure, exposureDecimals, exposures } from '../../exchange/treasury/exposure.ts'
import { dayOf } from '../../exchange/treasury/mark.ts'
import { profitAndLoss, type ProfitRow } from '../../exchange/treasury/profit.ts'
import { worthDecimals } from '../../exchange/treasury/valuation.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { shownBalances } from './balance.ts'
import type { Answer, Invocation, Json } from './command.ts'
import { layOut } from './layout.ts'
import { idOfFlag, valueOfFlag } from './read-id.ts'

/** Shows exposure, balances and the profit and loss of today so far. */
export const show = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const today = dayOf(ctx.clock.now())
    const rows = await profitAndLoss(ctx, { since: today, until: today })
    const json = {
      today: { date: today, total: worth(rows.reduce((sum, { total }) => sum + total, 0n)) },
      exposure: await shownExposures(ctx),
      balances: await shownBalances(ctx),
    }
    return { json, text: layOut(json) }
  })

/** Lists the exposure by currency. */
export const exposure = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = await shownExposures(ctx)
    return { json, text: json.length === 0 ? 'The house has no exposure.' : layOut(json) }
  })

/** Lists the profit and loss of a period. */
export const pnl = (input: Invocation): Promise<Answer> => {
  const partnerId = idOfFlag(input, 'partner')
  const [since, until] = [valueOfFlag(input, 'since', day), valueOfFlag(input, 'until', day)]
  return input.exchange(async (ctx) => {
    const today = dayOf(ctx.clock.now())
    const last = until ?? today
    const first = since ?? last
    const json = (await profitAndLoss(ctx, { since: first, until: last, partnerId })).map(shown)
    return { json, text: json.length === 0 ? `Nothing was booked from ${first} to ${last}.` : layOut(json) }
  })
}

const worth = (units: bigint): string => formatAmount(units, { decimals: worthDecimals })

const shown = (row: ProfitRow): Json => ({
  date: row.day,
  asset: row.asset,
  spread: worth(row.spread),
  fees: worth(row.fees),
  method_costs: worth(row.methodCosts),
  network_costs: worth(row.networkCosts),
  hedging: worth(row.hedging),
  drift: worth(row.drift),
  revaluation: worth(row.revaluation),
  total: worth(row.total),
})

const shownExposures = async (ctx: Ctx): Promise<readonly Json[]> => (await exposures(ctx)).map(exposureOf)

const exposureOf = ({ currency, amount, capital, worth: euros, isPriced }: Exposure): Json => ({
  currency,
  exposure: formatAmount(amount, { decimals: exposureDecimals }),
  worth_eur: isPriced ? worth(euros) : null,
  capital: formatAmount(capital, { decimals: exposureDecimals }),
})
