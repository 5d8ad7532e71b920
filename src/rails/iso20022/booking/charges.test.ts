import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { next, nextReference, paid, payer, useBank } from '../../../../test/support/bank-session.ts'
import type { CamtEntry } from '../../../../test/support/camt.ts'
import { findingsOf } from '../findings.ts'

const bank = useBank()
const { notified, stated } = bank

/** Sends what a notification and a statement say, in this order or the other one. */
async function sent(notice: CamtEntry[], statement: CamtEntry[], isStatementFirst: boolean) {
  const first = isStatementFirst ? await stated(statement) : await notified({ kind: '054', entries: notice })
  const second = isStatementFirst ? await notified({ kind: '054', entries: notice }) : await stated(statement)
  await bank.assertBalance()
  assert.deepEqual(await findingsOf(bank.world.bank), [])
  return [...first, ...second].map(({ kind, amount }) => `${kind} ${amount}`)
}
const costs = (): bigint[] => bank.world.charges.map(({ amount }) => amount)
const bookings = async (): Promise<string[]> => {
  const rows = await bank.world.ctx.db.sql<{ kind: string; amount: bigint }>`
    select kind, amount from iso20022_bookings order by id desc limit 2`
  return rows.map(({ kind, amount }) => `${kind} ${amount}`)
}

for (const isStatementFirst of [false, true]) {
  const order = isStatementFirst ? 'after' : 'before'

  describe(`a notification ${order} the statement`, () => {
    for (const [name, notice, statement] of [
      ['only our reference', {}, {}],
      ['the bank’s reference', { servicerReference: 'A' }, { servicerReference: 'A' }],
      ['the end-to-end id', { end: 'E' }, { end: 'E' }],
      ['the payer', { payer }, { payer }],
    ] as const) {
      it(`that has ${name} and no charge is about the money that the statement has with a charge`, async () => {
        const [reference, unique] = [nextReference(), next('')]
        const entry = (
          said: { servicerReference?: string; end?: string; payer?: typeof payer },
          amount: string,
          charge?: string,
        ): CamtEntry => ({
          amount: '99.00',
          ...(said.servicerReference ? { servicerReference: said.servicerReference + unique } : {}),
          payments: [
            {
              remittance: reference,
              amount,
              ...(said.end ? { endToEndId: said.end + unique } : {}),
              ...(said.payer ? { payer: said.payer } : {}),
              ...(charge ? { charge } : {}),
            },
          ],
        })
        const events = await sent([entry(notice, '99.00')], [entry(statement, '100.00', '1.00')], isStatementFirst)
        assert.deepEqual(events, [`deposit_final ${isStatementFirst ? 10_000 : 9_900}`])
        assert.deepEqual(costs(), isStatementFirst ? [100n] : [])
      })
    }

    it('of a batch without its payments is about all of what the statement has, with what the bank kept', async () => {
      const [one, other, servicerReference] = [nextReference(), nextReference(), next('B')]
      const batch = { amount: '148.00', servicerReference }
      const payments = [
        { remittance: one, amount: '100.00', charge: '2.00' },
        { remittance: other, amount: '50.00' },
      ]
      const events = await sent([{ ...batch, batch: { count: 2 } }], [{ ...batch, payments }], isStatementFirst)
      const alone = ['deposit_final 10000', 'deposit_final 5000']
      assert.deepEqual(events, isStatementFirst ? alone : ['deposit_final 14800'])
      assert.deepEqual(costs(), isStatementFirst ? [200n] : [])
    })

    it('lacks the code of a charge: with the bank’s reference, or the amount and the day, it is one debit', async () => {
      for (const servicerReference of [next('F'), undefined]) {
        const fee = {
          amount: servicerReference ? '3.50' : '3.60',
          debit: true,
          ...(servicerReference && { servicerReference }),
        }
        await sent([fee], [{ ...fee, code: 'CHRG' }], isStatementFirst)
        const kind = isStatementFirst ? 'charge' : 'unexplained'
        const [last, before] = await bookings()
        assert.equal(last, `${kind} ${servicerReference ? 350 : 360}`)
        assert.notEqual(before, last)
      }
      assert.deepEqual(costs(), isStatementFirst ? [350n, 360n] : [])
    })
  })
}

describe('two bookings stay two', () => {
  it('where the payer’s own reference contradicts, although what came and the bank’s reference are equal', async () => {
    const servicerReference = next('A')
    const [one, other] = [nextReference(), nextReference()]
    await notified({
      kind: '054',
      entries: [paid(one, { amount: '99.00', servicerReference, payments: [{ remittance: one, amount: '99.00' }] })],
    })
    const second = await stated([
      { amount: '99.00', servicerReference, payments: [{ remittance: other, amount: '100.00', charge: '1.00' }] },
    ])
    assert.deepEqual(
      second.map(({ reference, amount }) => [reference, amount]),
      [[other, 10_000n]],
    )
    assert.deepEqual(costs(), [100n])
  })

  it('where a debit without a code names its payee', async () => {
    const payments = [{ payee: { name: 'Fernmelde AG' }, amount: '4.10' }]
    await notified({ kind: '054', entries: [{ amount: '4.10', debit: true, payments }] })
    await stated([{ amount: '4.10', debit: true, code: 'CHRG' }])
    assert.deepEqual(await bookings(), ['charge 410', 'unexplained 410'])
  })
})
