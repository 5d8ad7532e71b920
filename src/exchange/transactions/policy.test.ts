import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import { readConfig } from '../../app/config/config.ts'
import { payDeadlineMs } from './policy.ts'

const configWith = (days: number) => readConfig({ BANK_PAY_BUSINESS_DAYS: String(days) })

const end = (config: ReturnType<typeof configWith>, from: number): number =>
  from + payDeadlineMs(config, 'SEPA', new Date(from))

const spans = table(`
  days  from              until
  1     2026-03-02T10:00  2026-03-03T10:00
  1     2026-03-06T23:00  2026-03-09T23:00
  1     2026-03-07T01:00  2026-03-10T00:00
  1     2026-03-08T23:59  2026-03-10T00:00
  1     2026-03-09T00:00  2026-03-10T00:00
  5     2026-03-04T12:30  2026-03-11T12:30
  5     2026-03-07T01:00  2026-03-16T00:00
  10    2026-03-02T10:00  2026-03-16T10:00
`)

test('a bank has whole business days, and what begins in a weekend begins with the Monday after it', () => {
  for (const { days, from, until } of spans) {
    const ends = end(configWith(Number(days)), Date.parse(`${from}Z`))
    assert.equal(new Date(ends).toISOString(), `${until}:00.000Z`, `${days} from ${from}`)
  }
})

test('a bank payment that begins later never has an earlier deadline', () => {
  const moment = fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2026-03-01T00:00Z') })
  const config = [1, 2, 3, 5, 11].map(configWith)
  const which = fc.nat(config.length - 1)
  fc.assert(
    fc.property(moment, fc.integer({ min: 0, max: 8 * 86_400_000 }), which, (from, later, index) => {
      const policy = config[index] ?? assert.fail()
      const [one, other] = [end(policy, from), end(policy, from + later)]
      assert.ok(one <= other, `${new Date(from).toISOString()} and ${later} ms later`)
      assert.ok(one > from)
    }),
    { numRuns: 2_000 },
  )
})
