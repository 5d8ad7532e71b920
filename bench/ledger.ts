import { findEmbedded } from '../src/platform/db/embedded.ts'
import { manyBuys, oneWholeBuy, type Receiver, startReceiver } from './buy.ts'
import { type HelperProcess, startHelper } from './helper-process.ts'
import type { WriterDone, WriterOrder } from './ledger-writer.ts'
import { compare, type Line, type Measured } from './line.ts'
import { countBalanced, writePostings } from './many-postings.ts'
import { type OwnExchange, removeDataDir, startOwnExchange } from './own-exchange.ts'
import { isSmoke, size } from './size.ts'

const lanes = 16
const roundMs = size(4_000, 100)
const buysARound = size(2_000, 10)
const few = size(10_000, 100)
const many = size(5_000_000, 1_000)

/**
 * What booking costs. Entries of two postings, 16 at once, each with its own commit, compared with the same rows appended bare by
 * the same driver; all on one busy account compared with each on its own; with five million postings present compared with ten
 * thousand. Then whole buys, with many postings compared with few. Two exchanges run at once and are measured in turn; each line is
 * reported as soon as it is known.
 */
export async function benchLedger(tell: (lines: Line[]) => void): Promise<void> {
  const small = await openBooks(few)
  try {
    const large = isSmoke ? small : await openBooks(many)
    try {
      for (const { name, ours, limit, note } of comparisons(small, large)) {
        tell([await compare(name, ours, limit, 'a second', note)])
      }
      await small.assertBalanced()
      await large.assertBalanced()
    } finally {
      if (large !== small) await large.close()
    }
  } finally {
    await small.close()
  }
}

type Books = Awaited<ReturnType<typeof openBooks>>
type Comparison = { name: string; ours: Measured; limit: Measured; note: string }

function comparisons(small: Books, large: Books): Comparison[] {
  const same = 'at least 0.95'
  const hot = true
  return [
    { name: 'ledger-entries', ours: small.book(), limit: small.append, note: 'at least 0.6' },
    { name: 'ledger-entries-hot', ours: small.book(hot), limit: small.book(), note: same },
    { name: 'ledger-entries-of-5-million', ours: large.book(), limit: small.book(), note: same },
    { name: 'ledger-entries-hot-of-5-million', ours: large.book(hot), limit: large.book(), note: same },
    { name: 'ledger-buy-of-5-million', ours: large.buy, limit: small.buy, note: same },
  ]
}

type Writer = HelperProcess<WriterOrder, WriterDone>

/** An exchange with so many postings in its books, and who writes more. */
async function openBooks(postings: number) {
  const exchange = await startOwnExchange()
  const receiver = await startReceiver(exchange)
  const writer: Writer = startHelper('ledger-writer.js')
  await writePostings(exchange, await oneWholeBuy(exchange, receiver), postings)
  const embedded = await findEmbedded(exchange.dataDir)
  if (!embedded) throw new Error('The database of the service is gone.')
  await writer.ask({ kind: 'open', ownerUrl: embedded.url, lanes })
  const before = await countBalanced(exchange)
  return booksOf({ exchange, receiver, writer, before })
}

type Opened = {
  exchange: OwnExchange
  receiver: Receiver
  writer: Writer
  before: { entries: number; postings: number }
}

function booksOf({ exchange, receiver, writer, before }: Opened) {
  let booked = 0
  return {
    book:
      (hot = false) =>
      async () => {
        const done = await writer.ask({ kind: 'book', ms: roundMs, hot })
        booked += done.count
        return done
      },
    append: () => writer.ask({ kind: 'append', ms: roundMs }),
    buy: () => manyBuys(exchange, receiver, buysARound),
    /** A number is worth something only if the books balance after it, and everything that was counted is in them. */
    assertBalanced: async () => {
      const after = await countBalanced(exchange)
      if (after.entries < before.entries + booked || after.postings < before.postings + 2 * booked) {
        throw new Error(`Of ${booked} entries some are missing.`)
      }
    },
    close: async () => {
      await writer.ask({ kind: 'close' })
      writer.end()
      receiver.end()
      await exchange.stop()
      await removeDataDir(exchange.dataDir)
    },
  }
}
