import { parseArgs } from 'node:util'

import { runSeed } from './run.ts'
import { runTreasuryWeek } from './treasury-week.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    orders: { type: 'string', default: '10000' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '1000' },
    trace: { type: 'boolean', default: false },
  },
})
const steps = Number.parseInt(values.steps, 10)
const until = performance.now() + Number.parseFloat(values.minutes ?? '0') * 60_000
const isOver = () => values.minutes !== undefined && performance.now() > until
const say = (line: string) => process.stdout.write(`${line}\n`)

if (positionals[0] === 'treasury') {
  const week = { orders: Number.parseInt(values.orders, 10), seed: Number.parseInt(values.seed ?? '1', 10) }
  say(JSON.stringify(await runTreasuryWeek(week, say), null, 2))
  process.exit()
}

let seed =
  values.seed === undefined ? Math.trunc(performance.timeOrigin) % 1_000_000_000 : Number.parseInt(values.seed, 10)
let done = 0
let seeds = 0
const failed: number[] = []
do {
  const since = performance.now()
  try {
    const run = await runSeed(seed, steps, { until: isOver, ...(values.trace ? { onStep: say } : {}) })
    done += run.steps
    const seconds = (performance.now() - since) / 1_000
    say(`seed ${run.seed}: ${run.steps} steps, ${(run.steps / seconds).toFixed(0)} a second, trace ${run.trace}`)
  } catch (error) {
    failed.push(seed)
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  seeds += 1
  seed += 1
} while (!isOver() && values.minutes !== undefined)
say(`${seeds} seeds, ${done} steps done, ${failed.length === 0 ? 'none failed' : `failed: ${failed.join(' ')}`}.`)
process.exitCode = failed.length === 0 ? 0 : 1
