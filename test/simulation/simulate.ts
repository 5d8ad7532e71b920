import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { isKind } from '../../src/exchange/policies/kinds.ts'
import { ordinary } from './option-market.ts'
import { assumptions, optionsTable } from './options-table.ts'
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
    windows: { type: 'string', default: '1000' },
    policy: { type: 'string', multiple: true, default: [] },
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

const firstSeed =
  values.seed === undefined ? Math.trunc(performance.timeOrigin) % 1_000_000_000 : Number.parseInt(values.seed, 10)

// What free price locks cost the house, under the shipped policies or those that are given as `--policy KIND=FILE`.
if (positionals[0] === 'options') {
  const run = { seed: firstSeed, windows: Number.parseInt(values.windows, 10), volatility: ordinary }
  const given = values.policy.map((text) => {
    const [kind = '', file = ''] = text.split('=')
    if (!isKind(kind)) throw new Error(`There is no policy ${kind}.`)
    return { kind, document: JSON.parse(readFileSync(file, 'utf8')) as unknown }
  })
  const { lines, isLoss } = optionsTable(run, given)
  for (const line of [assumptions(run), ...lines]) say(line)
  say(isLoss ? 'Every attack loses under this policy.' : 'An attack does not lose under this policy.')
  process.exit(isLoss ? 0 : 1)
}

let seed = firstSeed
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
