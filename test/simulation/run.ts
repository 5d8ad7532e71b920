import { createHash } from 'node:crypto'
import { inspect } from 'node:util'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { Action } from './action.ts'
import { becalm } from './becalm.ts'
import { customerActions } from './customers.ts'
import { decidingActions } from './deciding.ts'
import { drawFault, type Fault } from './fault.ts'
import { houseActions } from './house-work.ts'
import { institutionActions } from './institutions.ts'
import { violations } from './invariants.ts'
import { lookAtDeals, sumOf } from './look.ts'
import { operatorActions } from './operators.ts'
import { railActions } from './rails.ts'
import { openStage, type Stage } from './stage.ts'

/** What a run came to: how far it got, and a hash over everything that happened in it, in order. */
export type Run = { seed: number; steps: number; trace: string }

/** Something that must hold did not. */
class Broken extends Error {
  constructor(seed: number, step: number, what: string, past: string[]) {
    super(`Seed ${seed} broke at step ${step}: ${what}\nThe last steps:\n${past.slice(-25).join('\n')}`)
    this.name = 'Broken'
  }
}

/** How a run is watched. */
export type Watch = { onStep?: (line: string) => void; until?: () => boolean }

const actions: readonly Action[] = [
  ...customerActions,
  ...decidingActions,
  ...operatorActions,
  ...institutionActions,
  ...railActions,
  ...houseActions,
]

/** Steps between two points at which everything comes to rest and the whole is verified. */
const restAfter = 250

/**
 * Runs one seed: so many steps, each an action or several at once, some with a fault; after each of them everything that must
 * always hold is checked, and in the end, when all is calm, that everything has ended. Throws `Broken` with the seed and the step.
 */
export async function runSeed(seed: number, steps: number, { onStep, until = () => false }: Watch = {}): Promise<Run> {
  const stage = await openStage(seed)
  const hash = createHash('sha256')
  const past: string[] = []
  let step = 0
  const note = (line: string): void => {
    hash.update(`${line}\n`)
    past.push(line)
    if (past.length > 60) past.shift()
    onStep?.(line)
  }
  try {
    while (step < steps && !until()) {
      step += 1
      note(`${step} ${await takeStep(stage)}`)
      if (step % restAfter === 0) note(await becalm(stage, false))
    }
    note(await becalm(stage, true))
    return { seed, steps: step, trace: hash.digest('hex').slice(0, 16) }
  } catch (error) {
    throw new Broken(seed, step, `${inspect(error)}${await historiesIn(stage, inspect(error))}`, past)
  } finally {
    await stage.close()
  }
}

/** What happened to the transactions that a failure names. */
async function historiesIn({ owner }: Stage, text: string): Promise<string> {
  const named = [...new Set(text.match(/\b\d{18,19}\b/g))].slice(0, 3)
  const { rows } = await owner.query<{ line: string }>(
    `select format(E'\\n%s %s %s %s %s', public_id, at, status_history.kind, status_history.status, reason) as line
     from transactions join status_history on transaction_id = transactions.id where public_id = any($1) order by public_id, number`,
    [named],
  )
  return rows.map(({ line }) => line).join('')
}

/** One step: what is done in it, what goes wrong in it, and whether all is well after it. Gives its line of the trace. */
async function takeStep(stage: Stage): Promise<string> {
  const { dice, scheduler } = stage
  const count = dice.chance(30) ? 2 + dice.below(2) : 1
  stage.focus = count > 1 && stage.deals.length > 0 ? dice.pick(stage.deals.slice(-12)) : undefined
  const fault = dice.chance(14) ? drawFault(dice) : undefined
  const words: string[] = []
  const tasks = Array.from({ length: count }, (_, index) => taskOf(stage, fault, (word) => (words[index] = word)))
  const { count: statements, order } = await scheduler.run(tasks, fault)
  await stage.revive()
  await check(stage, fault)
  const struck = fault ? ` (${fault.kind} ${fault.at})` : ''
  return `${words.join(' | ')}${struck} ${statements} ${order} ${await sumOf(stage)}`
}

/** One action in one of the processes, chosen now. A refusal is an answer like others; a failure needs a fault that explains it. */
function taskOf(stage: Stage, fault: Fault | undefined, tell: (word: string) => void): () => Promise<void> {
  const { dice, workers } = stage
  const action = dice.weigh(actions.filter(({ isPossible }) => isPossible(stage)))
  const worker = dice.pick(workers)
  return async () => {
    try {
      tell(`${action.name}: ${await action.run(stage, worker)}`)
    } catch (error) {
      if (error instanceof Refusal) tell(`${action.name}: refused ${error.code}`)
      else if (fault) tell(`${action.name}: failed`)
      else throw new Error(`${action.name} failed without a fault`, { cause: error })
    }
  }
}

/** Looks whether everything holds. What processes complain of is only let pass where a fault has struck. */
async function check(stage: Stage, fault?: Fault): Promise<void> {
  if (fault) stage.complaints.length = 0
  const [, found] = await Promise.all([lookAtDeals(stage), violations(stage)])
  if (found.length > 0) throw new Error(`This does not hold:\n  ${found.slice(0, 10).join('\n  ')}`)
}
