import type { Book, MarketSource } from '../../markets/source.ts'
import type { Scene } from './step.ts'

/** How often the price of each ticker has been raised by a tenth, in this process, while scenarios need it. */
type Raised = Map<string, number>

const raisedIn = new WeakMap<MarketSource, Raised>()

/** What the customer buys costs a tenth more, for everyone, until it falls back. It is this process's alone and ends with it. */
export async function riseOf({ sharedCtx, record }: Scene): Promise<void> {
  const raised = raisedIn.get(sharedCtx.market) ?? raisable(sharedCtx)
  raised.set(record.to_currency, (raised.get(record.to_currency) ?? 0) + 1)
}

/** What was raised costs what it did before. */
export async function fallOf({ sharedCtx, record }: Scene): Promise<void> {
  const raised = raisedIn.get(sharedCtx.market)
  const times = raised?.get(record.to_currency) ?? 0
  if (times > 0) raised?.set(record.to_currency, times - 1)
}

function raisable(sharedCtx: Scene['sharedCtx']): Raised {
  const raised: Raised = new Map()
  const { market } = sharedCtx
  let last: { of: readonly unknown[]; raised: string; books: (Book | undefined)[] } | undefined
  sharedCtx.market = {
    ...market,
    booksAt: (at) => {
      const of = market.booksAt(at)
      const now = [...raised].flatMap(([ticker, times]) => (times > 0 ? `${ticker} ${times}` : [])).join()
      if (now === '') return of
      if (last?.of !== of || last.raised !== now) {
        last = { of, raised: now, books: of.map((book) => book && dearer(book, raised)) }
      }
      return last.books
    },
  }
  raisedIn.set(sharedCtx.market, raised)
  return raised
}

/** A price is dearer where its base is, and cheaper where the money that it is in is. */
function dearer({ market, bid, ask, at }: Book, raised: Raised): Book {
  const by = (ticker: string): bigint => 11n ** BigInt(raised.get(ticker) ?? 0)
  const over = (ticker: string): bigint => 10n ** BigInt(raised.get(ticker) ?? 0)
  const changed = ({ numerator, denominator }: Book['bid']) => ({
    numerator: numerator * by(market.base) * over(market.quote),
    denominator: denominator * over(market.base) * by(market.quote),
  })
  return { market, bid: changed(bid), ask: changed(ask), at }
}
