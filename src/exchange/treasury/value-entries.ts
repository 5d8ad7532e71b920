import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { findCurrency } from '../../reference/catalog/currency.ts'
import type { Ctx } from '../context.ts'
import { momentOf } from '../transactions/policy.ts'
import { partsOf, wholeParts } from '../pricing/price.ts'
import type { QuoteCommon } from '../pricing/quote.ts'
import { dayOf, type MomentPrices, pricesFrom } from './mark.ts'
import { type ExchangedPair, type Valuation, valueEntry } from './valuation.ts'
import * as queries from './valuations.sql.ts'

/** Entries of one block: few enough to hold in memory, and a block ends soon. */
const most = 1_000

/** How long entries wait for a market without fresh prices, until they are valued at the latest marks. */
const patienceMs = 3_600_000

const valuations = rowWriter<Valuation & { entryId: bigint; day: string; partnerId: bigint | null }>('valuations', {
  entryId: 'bigint',
  asset: 'text',
  day: 'date',
  partnerId: 'bigint',
  change: 'numeric',
  worth: 'numeric',
  spread: 'numeric',
  fees: 'numeric',
  methodCosts: 'numeric',
  networkCosts: 'numeric',
  hedging: 'numeric',
  drift: 'numeric',
})

/**
 * Values every committed entry that has not been valued, each once: at the market prices of the entry's time, as far as the market
 * still knows them. While the market has no fresh price, new entries wait. Several processes may do this at once. Gives how many entries were valued.
 */
export async function valueEntries(ctx: Ctx): Promise<number> {
  let done = 0
  for (;;) {
    const valued = await ctx.db.atomic((db) => valueNext(ctx, db))
    if (valued === undefined) return done
    done += valued
  }
}

/** How often, and how many real milliseconds apart, entries are looked at that running database transactions keep from being valued. */
const looks = 40
const lookAgainMs = 50

/** The same, and waits for two seconds at most until nothing that was committed is left. */
export async function valueAllEntries(ctx: Ctx): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    await valueEntries(ctx)
    if ((await queries.unvalued(ctx.db)).length === 0) return
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
  }
}

async function valueNext(ctx: Ctx, db: Atomic): Promise<number | undefined> {
  queries.resetStateAfterRestore(db)
  const [state] = await queries.lockState(db)
  if (!state) throw new Error('The table valuation_state has lost its row.')
  const [next] = await queries.nextThrough(db, state.through, most)
  if (!next) return undefined

  const rows = await queries.houseEntries(db, state.through, next.through)
  const pricesOf = await pricesBySecond(ctx, db)
  const newest = after(ctx.clock.now(), -patienceMs)
  const mustWait = rows.some(
    ({ at, changes }) => at > newest && !changes.every(({ asset }) => pricesOf(at).isFresh(asset)),
  )
  if (mustWait) return undefined
  valuations.insert(
    db,
    rows.flatMap(({ id, kind, at, partner_id: partnerId, changes, quote, base }) =>
      valueEntry(
        { kind, changes, exchanged: quote ? pairOf(quote) : undefined, base: base ?? undefined },
        pricesOf(at),
      ).map((valuation) => ({ ...valuation, entryId: id, day: dayOf(at), partnerId })),
    ),
  )
  queries.saveThrough(db, next.through)
  return rows.length
}

/** Entries of one second are valued at the same prices. */
async function pricesBySecond(ctx: Ctx, db: Atomic): Promise<(at: Date) => MomentPrices> {
  const latest = await queries.latestMarks(db, dayOf(ctx.clock.now()))
  const stored = new Map(latest.map(({ asset, price }) => [asset, price]))
  const known = new Map<number, MomentPrices>()
  return (at) => {
    const second = Math.floor(at.getTime() / 1_000)
    const prices = known.get(second) ?? pricesFrom(momentOf(ctx, at), stored)
    known.set(second, prices)
    return prices
  }
}

/** The pair of a quote, and the market's rate before our spread. Its coin: what is not fiat; of a swap what is paid out. */
function pairOf({ from, to, price, spreadBasisPoints }: QuoteCommon): ExchangedPair {
  const isSell = findCurrency(to.ticker)?.kind === 'FIAT'
  return {
    from: from.id,
    to: to.id,
    coin: isSell ? from.id : to.id,
    quotedRate: {
      numerator: BigInt(price.numerator) * wholeParts,
      denominator: BigInt(price.denominator) * (wholeParts - partsOf(spreadBasisPoints)),
    },
  }
}
