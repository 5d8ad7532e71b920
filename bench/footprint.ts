import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

import { manyBuys, startReceiver } from './buy.ts'
import { type Line, line } from './line.ts'
import { assertBalanced, makeDataDir, removeDataDir, startOwnExchange } from './own-exchange.ts'
import { size } from './size.ts'

const budgets = { firstStartMs: 2_500, laterStartMs: 700, idleMb: 130, busyMb: 220, idleCpuPercent: 2 }
const busyBuys = size(1_000, 10)
const settleMs = size(5_000, 50)
const idleMs = size(20_000, 50)
const laterStarts = size(3, 1)

/**
 * What it takes to run at all: the first start on an empty folder, later starts (the best of a few), the Node process's memory
 * at rest and after a thousand buys, and the CPU time of all its processes while nothing happens.
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
      ...(await benchResting(dataDir)),
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
    const before = await cpuMs(exchange.pid)
    await wait(idleMs)
    const percent = (((await cpuMs(exchange.pid)) - before) / idleMs) * 100

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

const clockTickMs = 10

/** CPU time of a process and of all that it has started, its children's children included. */
async function cpuMs(pid: number): Promise<number> {
  const processes = await readProcesses()
  const family = new Set([pid])
  for (let size = 0; size !== family.size;) {
    size = family.size
    for (const [child, { parent }] of processes) if (family.has(parent)) family.add(child)
  }
  return [...family].reduce((sum, member) => sum + (processes.get(member)?.ticks ?? 0), 0) * clockTickMs
}

/** Every process (proc(5)): its parent, and the ticks that it has used, those of children that it has waited for included. */
async function readProcesses(): Promise<Map<number, { parent: number; ticks: number }>> {
  const found = new Map<number, { parent: number; ticks: number }>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0)
    if (stat !== '') found.set(Number(name), { parent: fields[1] ?? 0, ticks })
  }
  return found
}
