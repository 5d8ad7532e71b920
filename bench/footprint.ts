import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

import { manyBuys, startReceiver } from './buy.ts'
import { type Line, line } from './line.ts'
import { assertBalanced, makeDataDir, removeDataDir, startOwnExchange } from './own-exchange.ts'
import { familyCpuMs } from './processor-time.ts'
import { isQuick, size } from './size.ts'

const budgets = { firstStartMs: 2_500, laterStartMs: 700, idleMb: 130, busyMb: 220, idleCpuPercent: 1 }
const busyBuys = size(1_000, 10)
/** What a start leaves to do (a fresh database is vacuumed, a catalog is read) is over by then. */
const settleMs = size(30_000, 50)
/** With what is done once a minute. */
const idleMs = size(60_000, 50)
const laterStarts = size(3, 1)

/**
 * What it takes to run at all: the first start on an empty folder, later starts (the best of a few), the Node process's memory
 * at rest and after a thousand buys, and the CPU time of all its processes while nothing happens. A quick run only starts it.
 */
export async function benchFootprint(): Promise<Line[]> {
  const dataDir = await makeDataDir()
  try {
    const first = await startOwnExchange({ dataDir })
    await first.stop()
    const starts: number[] = []
    for (let index = 0; index < laterStarts; index += 1) {
      const again = await startOwnExchange({ dataDir })
      starts.push(again.startMs)
      await again.stop()
    }
    return [
      line('first-start', first.startMs, budgets.firstStartMs, 'ms', 'at most 1'),
      line('later-start', Math.min(...starts), budgets.laterStartMs, 'ms', 'at most 1'),
      ...(isQuick ? [] : await benchResting(dataDir)),
    ]
  } finally {
    await removeDataDir(dataDir)
  }
}

async function benchResting(dataDir: string): Promise<Line[]> {
  const exchange = await startOwnExchange({ dataDir })
  try {
    await wait(settleMs)
    const idleMb = await residentMb(exchange.pid)
    const before = await familyCpuMs(exchange.pid)
    await wait(idleMs)
    const percent = (((await familyCpuMs(exchange.pid)) - before) / idleMs) * 100

    const receiver = await startReceiver(exchange)
    await manyBuys(exchange, receiver, busyBuys)
    const busyMb = await residentMb(exchange.pid)
    receiver.end()
    await assertBalanced(exchange)
    return [
      line('memory-idle', idleMb, budgets.idleMb, 'MB', 'at most 1'),
      line('memory-after-1000-buys', busyMb, budgets.busyMb, 'MB', 'at most 1'),
      line('idle-cpu', percent, budgets.idleCpuPercent, 'percent of a core', 'at most 1'),
    ]
  } finally {
    await exchange.stop()
  }
}

async function residentMb(pid: number): Promise<number> {
  const [, kilobytes = ''] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
