import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import {
  arrivalOf,
  assertLeft,
  type DisputeStep,
  eventsAt,
  isWithheld,
  pathsWithin,
  withheldAfter,
} from '../support/dispute-paths.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { disputeStages } from '../support/hyperswitch-world.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())

/**
 * Stages only go on, and a stage has an end: all paths are finitely many. What is told of one stage does not depend on another, and an
 * event is told once: paths of which the same events are told, in the same order, are one to us.
 */
it('a dispute withholds what its last step says after every path that Hyperswitch allows', async (t) => {
  const within = disputeStages.map((stage) =>
    pathsWithin(stage).map((path) => {
      const keys = path
        .flatMap((step) => eventsAt({ payment: 'one', reference: 'one' }, 'one', step))
        .map(({ key }) => key)
      return { path, told: [...new Set(keys)].join() }
    }),
  )
  type Known = { path: DisputeStep[]; isWithheld: boolean }
  const distinct = new Map<string, Known>()
  let count = 0
  function follow(stage: number, path: DisputeStep[], told: string, isHeld: boolean): void {
    const paths = within[stage]
    if (paths) {
      follow(stage + 1, path, told, isHeld)
      for (const more of paths)
        follow(stage + 1, [...path, ...more.path], `${told} ${more.told}`, more.path.reduce(withheldAfter, isHeld))
      return
    }
    count += 1
    const key = told.trim().replace(/ +/g, ' ')
    const known = distinct.get(key)
    if (!known) distinct.set(key, { path, isWithheld: isHeld })
    else if (known.isWithheld !== isHeld) assert.fail(JSON.stringify([known.path, path]))
  }
  follow(0, [], '', false)
  assert.equal(count, 24 ** disputeStages.length)
  t.diagnostic(`${count} paths, ${distinct.size} of which something else is told`)

  const paths = [...distinct.values()].map(({ path }, index) => {
    const name = `path ${index}`
    const told = path.flatMap((step) => eventsAt({ payment: name, reference: name }, name, step))
    return { name, path, told: [arrivalOf(name), ...told] }
  })
  for (let from = 0; from < paths.length; from += 100) await assertLeft(exchange, paths.slice(from, from + 100))
  assert.ok(paths.some(({ path }) => isWithheld(path)))
  const problems = await verify(exchange.service.composition.ctx)
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('the books say')),
    [],
  )
})
