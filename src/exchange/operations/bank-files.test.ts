import assert from 'node:assert/strict'
import { test } from 'node:test'

import { next } from '../../../test/support/bank-session.ts'
import { openBankWorld } from '../../../test/support/bank-world.ts'
import { camt } from '../../../test/support/camt.ts'
import { listMissingStatements, skipStatements } from './bank-files.ts'

test('numbers are skipped where they are missing, and in that year only', async () => {
  const world = await openBankWorld()
  const came = async (number: number, date: string): Promise<void> => {
    world.outside.drop(
      `${next('s')}.xml`,
      camt({ id: next('S'), number, date, opening: '0.00', closing: '0.00', entries: [] }),
    )
    await world.round()
  }
  const missing = async (): Promise<string[]> =>
    (await listMissingStatements(world.ctx)).map(({ first, last }) => `${first}-${last}`)
  const skip = (numbers: string) =>
    skipStatements(world.ctx, { rail: 'bank-1', numbers }, { actor: 'cli:test', reason: 'A holiday.' })

  await came(1, '2026-01-05')
  await came(4, '2026-01-08')
  await came(6, '2026-01-10')
  assert.deepEqual(await missing(), ['2-3', '5-5'])
  assert.deepEqual(await skip('1-999'), { first: '2', last: '5' })
  assert.deepEqual(await missing(), [])
  // What comes later was not skipped, nor were the same numbers of the next year.
  await came(9, '2026-01-14')
  assert.deepEqual(await missing(), ['7-8'])
  assert.deepEqual(await skip('8'), { first: '8', last: '8' })
  assert.deepEqual(await missing(), ['7-7'])
  await came(1, '2027-01-05')
  await came(4, '2027-01-08')
  assert.deepEqual(await missing(), ['7-7', '2-3'])
  await assert.rejects(skip('8'), { code: 'NOT_FOUND' })
  await world.close()
})
