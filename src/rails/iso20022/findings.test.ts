import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { next, nextReference, paid, payer } from '../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../test/support/bank-world.ts'
import { camt, type CamtEntry } from '../../../test/support/camt.ts'
import { findingsOf } from './findings.ts'

/** Plants one difference in an account whose first statement has come, and gives the causes and amounts that are found. */
async function planted(plant: (world: BankWorld) => Promise<unknown>): Promise<[cause: string, amount: bigint][]> {
  const world = await openBankWorld()
  try {
    world.outside.state([])
    await world.round()
    assert.deepEqual(await findingsOf(world.bank), [])
    await plant(world)
    return (await findingsOf(world.bank)).map(({ cause, amount }) => [cause, amount])
  } finally {
    await world.close()
  }
}

const notify = (world: BankWorld, entry: CamtEntry, change = (text: string) => text): Promise<unknown> => {
  world.outside.drop(`${next('m')}.xml`, change(camt({ kind: '054', id: next('N'), entries: [entry] })))
  return world.round()
}
const withoutDays = (text: string): string => text.replaceAll(/<(BookgDt|ValDt)>.*?<\/\1>/g, '')
const state = (world: BankWorld, entries: CamtEntry[], change = {}): Promise<unknown> => {
  world.outside.state(entries, change)
  return world.round()
}

const said = (reference: string, servicerReference: string, amount = '100.00'): CamtEntry =>
  paid(reference, {
    amount,
    servicerReference,
    payments: [{ remittance: reference, endToEndId: 'INV-1', amount, payer }],
  })

describe('a difference at a bank', () => {
  const reference = nextReference()
  const cases: [name: string, plant: (world: BankWorld) => Promise<unknown>, found: [string, bigint][]][] = [
    [
      'a notified booking that the statement of its day lacks',
      async (world) => {
        await notify(world, paid(reference))
        await state(world, [])
      },
      [['missing', -10_000n]],
    ],
    [
      'two messages that contradict each other in the bank’s reference',
      async (world) => {
        await notify(world, said(reference, 'A-1'))
        await state(world, [said(reference, 'B-1')])
      },
      [['double', -10_000n]],
    ],
    [
      'two messages that contradict each other in the amount',
      async (world) => {
        await notify(world, said(reference, 'A-1'))
        await state(world, [said(reference, 'A-1', '90.00')])
      },
      [['other_amount', -10_000n]],
    ],
    [
      'a notified booking without a day that contradicts a statement, once that of a later day has come',
      async (world) => {
        await notify(world, said(reference, 'A-1'), withoutDays)
        await state(world, [said(reference, 'B-1')])
        assert.deepEqual(await findingsOf(world.bank), [])
        await state(world, [], { date: '2099-01-01' })
      },
      [['double', -10_000n]],
    ],
    ['a statement that has not come', (world) => state(world, [], { number: 4 }), [['lost_statement', 0n]]],
    [
      'a statement that opens with another balance',
      (world) => state(world, [paid(reference)], { opening: '9000.00', closing: '9100.00' }),
      [['opening_differs', -100_000n]],
    ],
    [
      'a statement that came before without a booking',
      async (world) => {
        await state(world, [paid(reference)])
        await state(world, [paid(reference), paid(nextReference())], {
          number: 2,
          opening: '10000.00',
          closing: '10200.00',
        })
      },
      [['swallowed', 10_000n]],
    ],
    [
      'a statement that came before with one booking more',
      async (world) => {
        const entries = [paid(reference), paid(nextReference())]
        await state(world, entries)
        await state(world, entries.slice(1), { number: 2, opening: '10000.00', closing: '10100.00' })
      },
      [['missing', -10_000n]],
    ],
    [
      'an account that is not ours',
      (world) => state(world, [], { iban: 'DE75512108001245126199' }),
      [['not_ours', 0n]],
    ],
    [
      'a booking that the books have lost',
      async (world) => {
        await state(world, [paid(reference)])
        await world.ctx.db.sql`update iso20022_bookings set statement_id = null, booked_on = ''`
      },
      [['swallowed', 10_000n]],
    ],
  ]
  for (const [name, plant, found] of cases)
    it(`is named: ${name}`, async () => assert.deepEqual(await planted(plant), found))

  it('is named for each of two refused files of one name', async () => {
    const world = await openBankWorld()
    for (const id of ['DE75512108001245126199', 'DE89370400440532013000']) {
      world.outside.drop('day.xml', camt({ iban: id, opening: '0.00', closing: '0.00', entries: [] }))
      await world.round()
    }
    const keys = (await findingsOf(world.bank)).map(({ key }) => key)
    assert.deepEqual([keys.length, new Set(keys).size, keys[0]], [2, 2, 'file day.xml 0'])
    await world.close()
  })
})
