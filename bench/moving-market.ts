import type { Book, MarketSource } from '../src/markets/source.ts'

/** A market whose prices can be made to change, many times a second. */
export type MovingMarket = MarketSource & {
  /** From now on so many books a second get another price, one after the other; 0 stops it. */
  move(perSecond: number): void
}

/** The most that one turn of the timer changes: what was missed by a busy process is not made up for in one go. */
const mostAtOnce = 100

/**
 * The books of another source, each with its last digit moved by hand. Every change makes a new list, as a feed of real prices
 * would; while nothing moves they are the other's own. What moves is what the source said when it began: books of two of its
 * moments would contradict each other, and a pair whose books do is not for sale.
 */
export function movingMarket(market: MarketSource, now: () => Date): MovingMarket {
  let still: readonly (Book | undefined)[] = []
  let books: typeof still | undefined
  let timer: NodeJS.Timeout | undefined
  let made = 0

  function change(): void {
    const index = made % still.length
    const book = still[index]
    made += 1
    books = (books ?? still).with(index, book && { ...book, at: now(), ask: moved(book.ask, BigInt(made % 7)) })
  }

  return {
    name: market.name,
    reference: market.reference,
    markets: market.markets,
    booksAt: (at) => books ?? market.booksAt(at),
    move: (perSecond) => {
      clearInterval(timer)
      books = undefined
      if (perSecond === 0) return
      still = market.booksAt(now())
      const start = performance.now()
      let done = 0
      timer = setInterval(() => {
        const due = Math.floor(((performance.now() - start) * perSecond) / 1_000) - done
        for (let count = 0; count < Math.min(due, mostAtOnce); count += 1) change()
        done += due
      }, 1)
    },
  }
}

const moved = ({ numerator, denominator }: Book['ask'], by: bigint): Book['ask'] => ({
  numerator: numerator + by,
  denominator,
})
