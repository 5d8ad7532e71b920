import { findEmbedded } from '../src/platform/db/embedded.ts'
import { benchBitcoinBlock } from './bitcoin-block.ts'
import { benchBuys, oneWholeBuy, startReceiver } from './buy.ts'
import { benchCreates } from './create.ts'
import { benchDeliveries, deliveryParts } from './deliveries.ts'
import { benchEstimates } from './estimate.ts'
import { benchEstimatePairs } from './estimate-pairs.ts'
import { benchFootprint } from './footprint.ts'
import { startHelper } from './helper-process.ts'
import { benchLedger } from './ledger.ts'
import { keepResults, type Kept, readKept, sourcesText } from './kept.ts'
import { type Line, printed } from './line.ts'
import { assertBalanced, type OwnExchange, removeDataDir, startOwnExchange } from './own-exchange.ts'
import type { RowsDone, RowsOrder } from './plain-rows.ts'
import { isQuick, isSmoke } from './size.ts'
import { benchTransactionList } from './transaction-list.ts'

const groups = ['footprint', 'estimate', 'create', 'buy', 'ledger']
/** What takes minutes, and is measured when it is asked for by name. */
const apart = ['transaction-list', 'bitcoin-block', 'deliveries', ...deliveryParts]

/** What `quick` measures: what a change can make slower without anybody seeing it. */
const quickGroups = ['footprint', 'estimate', 'create', 'buy']

/**
 * Measures what is asked for, and prints one line each, with its change against the kept result. All of it, the default, is written
 * to bench/results.json as well; `quick` only with `--keep`. With `--smoke` everything is done once, small and at the same time, to
 * see that it works.
 */
async function run(asked: string[]): Promise<void> {
  const known = [...groups, ...apart]
  const wanted = new Set(isQuick ? quickGroups : asked.length > 0 ? asked : isSmoke ? known : groups)
  const unknown = [...wanted].filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join()}. There are: ${known.join()}`)

  const kept = await readKept()
  console.log(sourcesText(kept))
  const lines: Line[] = []
  const tell: Tell = (more) => {
    lines.push(...more)
    for (const one of more) console.log(printed(one), changeText(one, kept))
  }
  const due = tasks.filter(({ names }) => names.some((name) => wanted.has(name)))
  if (isSmoke) await allToTheirEnd(due.map(({ work }) => work(tell, wanted)))
  else for (const { work } of due) await work(tell, wanted)
  const isWhole = groups.every((name) => wanted.has(name))
  if (!isSmoke && (isQuick ? process.argv.includes('--keep') : isWhole)) await keepResults(kept, lines)
}

/** How a ratio differs from the kept one, which was measured with rounds of the same length. */
function changeText({ name, ratio }: Line, kept: Kept): string {
  if (isSmoke) return ''
  const before = (isQuick ? kept.quick : kept.whole)?.lines.find((line) => line.name === name)
  if (!before) return '(not kept yet)'
  const percent = Math.round((ratio / before.ratio - 1) * 100)
  return `(kept ${before.ratio}, ${percent < 0 ? '' : '+'}${percent} %)`
}

/** Waits for all before one failure fails the run: a process that another task has started would outlive it and keep its output open. */
async function allToTheirEnd(works: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

type Tell = (lines: Line[]) => void
type Task = { names: string[]; work(tell: Tell, wanted: Set<string>): Promise<void> }

const tasks: Task[] = [
  { names: ['footprint'], work: async (tell) => tell(await benchFootprint()) },
  { names: ['estimate', 'create', 'buy'], work: (tell, wanted) => benchOnOneExchange(wanted, tell) },
  { names: isQuick ? [] : ['estimate'], work: async (tell) => tell(await benchEstimatePairs(new Date())) },
  { names: ['ledger'], work: (tell) => benchLedger(tell) },
  { names: ['bitcoin-block'], work: async (tell) => tell(await benchBitcoinBlock()) },
  { names: ['transaction-list'], work: async (tell) => tell(await benchTransactionList()) },
  {
    names: ['deliveries', ...deliveryParts],
    work: (tell, wanted) =>
      benchDeliveries(
        tell,
        wanted.has('deliveries') ? deliveryParts : deliveryParts.filter((part) => wanted.has(part)),
      ),
  },
]

async function benchOnOneExchange(wanted: Set<string>, tell: Tell): Promise<void> {
  const exchange = await startOwnExchange()
  try {
    await benchThroughput(exchange, wanted, tell)
  } finally {
    await exchange.stop()
    await removeDataDir(exchange.dataDir)
  }
}

async function benchThroughput(exchange: OwnExchange, wanted: Set<string>, tell: Tell): Promise<void> {
  if (wanted.has('estimate')) tell(await benchEstimates(exchange))
  if (!wanted.has('create') && !wanted.has('buy')) return

  const receiver = await startReceiver(exchange)
  const rows = startHelper<RowsOrder, RowsDone>('plain-rows.js')
  try {
    const publicId = await oneWholeBuy(exchange, receiver)
    const embedded = await findEmbedded(exchange.dataDir)
    if (!embedded) throw new Error('The database of the service is gone.')
    await rows.ask({ kind: 'learn', ownerUrl: embedded.url, publicId })

    if (wanted.has('buy')) tell(await benchBuys(exchange, receiver, rows))
    if (wanted.has('create')) tell(await benchCreates(exchange, rows))
    await assertBalanced(exchange)
  } finally {
    rows.end()
    receiver.end()
  }
}

await run(process.argv.slice(2).filter((word) => !['quick', '--keep', '--smoke'].includes(word)))
