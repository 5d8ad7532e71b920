import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { readAdvance } from './clock.ts'

test('an advance is read as the calendar has it from today on, up to ten years', () => {
  const rows = table(`
    today       advance      until
    2026-02-10  PT0.5S       2026-02-10T00:00:00.500Z
    2026-02-10  P1M          2026-03-10T00:00:00.000Z
    2026-11-20  P2M1DT1H     2027-01-21T01:00:00.000Z
    2027-03-01  P1Y          2028-03-01T00:00:00.000Z
    2026-01-01  P10Y         2036-01-01T00:00:00.000Z
    2026-01-01  P10Y1M       refused
    2026-01-01  P0M          refused
    2026-01-01  P1MX         refused
    2026-01-01  P1M2Y        refused
    2026-01-01  XT5M         refused
    2026-01-01  P            refused
  `)
  for (const { today = '', advance = '', until } of rows) {
    const now = new Date(`${today}T00:00:00.000Z`)
    const read = () => new Date(now.getTime() + readAdvance({ advance }, now)).toISOString()
    if (until === 'refused') assert.throws(read, { code: 'BAD_REQUEST' }, advance)
    else assert.equal(read(), until, advance)
  }
})
