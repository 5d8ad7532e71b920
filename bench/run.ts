import { writeFile } from 'node:fs/promises'
import { arch, cpus, totalmem } from 'node:os'
import { join } from 'node:path'

import { findEmbedded } from '../src/db/embedded.ts'
import { benchBuys, oneWholeBuy, startReceiver } from './buy.ts'
import { benchCreates } from './create.ts'
import { benchEstimates } from './estimate.ts'
import { benchEstimatePairs } from './estimate-pairs.ts'
import { benchFootprint } from './footprint.ts'
import { startHelper } from './helper-process.ts'
import { type Line, printed } from './line.ts'
import { assertBalanced, type OwnExchange, removeDataDir, startOwnExchange } from './own-exchange.ts'
import type { RowsDone, RowsOrder } from './plain-rows.ts'
import { benchTransactionList } from './transaction-list.ts'

const resultsFile = join(import.meta.dirname, '../../bench/results.json')
const groups = ['footprint', 'estimate', 'create', 'buy']
/** What takes minutes, and is measured when it is asked for by name. */
const apart = ['transaction-list']

/** Measures what is asked for, and prints one line each. All of it, the default, is written to bench/results.json as well. */
async function run(asked: string[]): Promise<void> {
  const wanted = new Set(asked.length > 0 ? asked : groups)
  const known = [...groups, ...apart]
  const unknown = [...wanted].filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join()}. There are: ${known.join()}`)

  const lines: Line[] = []
  const tell = (more: Line[]) => {
    lines.push(...more)
    for (const one of more) console.log(printed(one))
  }
  if (wanted.has('footprint')) tell(await benchFootprint())
  if (['estimate', 'create', 'buy'].some((name) => wanted.has(name))) {
    const exchange = await startOwnExchange()
    try {
      await benchThroughput(exchange, wanted, tell)
    } finally {
      await exchange.stop()
      await removeDataDir(exchange.dataDir)
    }
  }
  if (wanted.has('estimate')) tell(await benchEstimatePairs(new Date()))
  if (wanted.has('transaction-list')) tell(await benchTransactionList())
  if (!groups.every((name) => wanted.has(name))) return
  const machine = {
    node: process.version,
    arch: arch(),
    cpus: cpus().length,
    cpu: cpus()[0]?.model,
    memory: totalmem(),
  }
  await writeFile(resultsFile, `${JSON.stringify({ machine, lines }, null, 2)}\n`)
}

async function benchThroughput(
  exchange: OwnExchange,
  wanted: Set<string>,
  tell: (lines: Line[]) => void,
): Promise<void> {
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

await run(process.argv.slice(2))
