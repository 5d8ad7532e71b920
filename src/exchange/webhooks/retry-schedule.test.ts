import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { readConfig } from '../../app/config/config.ts'
import { retryAt } from './retry-schedule.ts'

const config = readConfig({ DATA_DIR: '/nowhere' })
const at = new Date('2026-03-01T12:00:00Z')

test('a failed delivery comes back by the schedule, a little early by chance, and never before it was asked to', () => {
  const rows = table(`
    attempts  wakes  outcome             retry-after  waits
    0         0      rejected            ''           5
    1         0      timed_out           ''           300
    2         0      connection_refused  ''           1800
    3         0      rejected            ''           7200
    4         0      rejected            ''           18000
    5         0      rejected            ''           36000
    6         0      rejected            ''           50400
    7         0      redirected          ''           72000
    8         0      address_refused     ''           86400
    9         0      rejected            ''           never
    2         1      rejected            ''           300
    1         1      rejected            ''           5
    0         0      gone                ''           never
    0         0      gone                60           never
    0         0      rejected            60           60
    1         0      rejected            2            300
    0         0      rejected            999999       86400
    9         0      rejected            60           never
  `)
  for (const { attempts = '', wakes = '', outcome = '', 'retry-after': asked = '', waits = '' } of rows) {
    const delivery = { attempts: Number(attempts), wakes: Number(wakes) }
    const answer = { outcome: outcome as 'rejected', retryAfterSeconds: asked === '' ? undefined : Number(asked) }
    for (let round = 0; round < 20; round += 1) {
      const next = retryAt(config, delivery, answer, at)
      if (waits === 'never') assert.equal(next, null)
      else {
        const seconds = ((next?.getTime() ?? 0) - at.getTime()) / 1_000
        const least = Math.max(Number(waits) * 0.9, Math.min(Number(asked), 86_400))
        assert(seconds >= least - 0.001 && seconds <= Number(waits), `${outcome} ${attempts}/${wakes} waits ${seconds}`)
      }
    }
  }
})
