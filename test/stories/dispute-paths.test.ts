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
  /** Paths of which the same is told and that leave the same withheld go on alike: one of them stands for `count`. */
  type Alike = { path: DisputeStep[]; told: string; isWithheld: boolean; count: number }
  let alike: Alike[] = [{ path: [], told: '', isWithheld: false, count: 1 }]
  for (const paths of within) {
    const next = new Map<string, Alike>()
    for (const { path, told, isWithheld: before, count } of alike) {
      for (const more of [{ path: [], told: '' }, ...paths]) {
        const isNow = more.path.reduce(withheldAfter, before)
        const all = `${told} ${more.told}`.trim()
        const known = next.get(`${all} ${isNow}`)
        if (known) known.count += count
        else next.set(`${all} ${isNow}`, { path: [...path, ...more.path], told: all, isWithheld: isNow, count })
      }
    }
    alike = [...next.values()]
  }
  const distinct = new Map(alike.map((one) => [one.told, one]))
  // What is told says what is withheld.
  for (const one of alike)
    if (distinct.get(one.told) !== one) assert.fail(JSON.stringify([one.path, distinct.get(one.told)]))
  const count = alike.reduce((sum, one) => sum + one.count, 0)
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
