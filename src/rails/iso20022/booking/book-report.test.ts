import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { next, nextId, payer, useBank } from '../../../../test/support/bank-session.ts'
import { pain002 } from '../../../../test/support/camt.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import { payouts } from '../payouts.ts'
import { bankRail } from '../rails.ts'

const bank = useBank()
const { stated, assertBalance } = bank

describe('a payment', () => {
  const destination = { address: payer.iban, extraId: payer.bic, holder: payer.name }
  async function sent(count = 1) {
    const half = payouts(bank.world.bank)
    const drafts = await half.prepare(
      Array.from({ length: count }, () => ({
        payoutId: nextId(),
        asset: 'EUR-EUR',
        amount: 1_000n,
        destination,
      })),
    )
    for (const draft of drafts) await half.submit(draft)
    await bank.world.round()
    return { half, drafts, orders: bank.world.outside.collect() }
  }
  const lookAt = async ({ half, drafts }: Awaited<ReturnType<typeof sent>>): Promise<string[]> =>
    Promise.all(drafts.map(async (draft) => (await half.look(draft)).state))

  it('follows its own status, else that of its part, else that of the file', async () => {
    const cases: [group: string, part: string | undefined, own: string | undefined, outcome: string][] = [
      ['ACTC', undefined, undefined, 'pending'],
      ['ACCP', undefined, undefined, 'pending'],
      ['ACSP', undefined, undefined, 'pending'],
      ['PDNG', undefined, undefined, 'pending'],
      ['PART', undefined, undefined, 'pending'],
      ['XXXX', undefined, undefined, 'pending'],
      ['ACSC', undefined, undefined, 'done'],
      ['ACCC', undefined, undefined, 'done'],
      ['RJCT', undefined, undefined, 'never'],
      ['PART', 'RJCT', undefined, 'never'],
      ['RJCT', 'ACSC', undefined, 'done'],
      ['PART', 'PART', 'RJCT', 'never'],
      ['RJCT', 'RJCT', 'ACSC', 'done'],
      ['ACSC', 'ACSC', 'PDNG', 'pending'],
    ]
    for (const [group, status, own, outcome] of cases) {
      const payment = await sent()
      const [order] = payment.orders
      assert(order)
      const parts =
        status === undefined
          ? []
          : [
              {
                id: order.part,
                status,
                payments: own === undefined ? [] : [{ endToEndId: order.endToEndId, status: own }],
              },
            ]
      bank.world.outside.drop(`${next('s')}.xml`, pain002({ messageId: order.messageId, group, parts, reason: 'AC01' }))
      await bank.world.round()
      assert.deepEqual(await lookAt(payment), [outcome], `${group} ${status} ${own}`)
    }
  })

  it('stays done or refused, whatever comes later', async () => {
    for (const [first, then, outcome] of [
      ['ACSC', 'RJCT', 'done'],
      ['RJCT', 'ACSC', 'never'],
    ] as const) {
      const payment = await sent()
      for (const group of [first, then]) {
        bank.world.outside.drop(`${next('s')}.xml`, pain002({ messageId: payment.orders[0]?.messageId ?? '', group }))
        await bank.world.round()
      }
      assert.deepEqual(await lookAt(payment), [outcome])
    }
  })

  it('is done when the account is debited: one by one, all in one, and with a charge', async () => {
    const single = await sent()
    assert.deepEqual(await stated(single.orders.map(debitOf)), [])
    assert.deepEqual(await lookAt(single), ['done'])

    const lump = await sent(3)
    const { part = '' } = lump.orders[0] ?? {}
    await stated([
      { amount: '30.00', debit: true, servicerReference: next('L'), batch: { paymentInformationId: part, count: 3 } },
    ])
    assert.deepEqual(await lookAt(lump), ['done', 'done', 'done'])

    const dear = await sent()
    const [order] = dear.orders
    assert(order)
    await stated([
      {
        ...debitOf(order),
        amount: '10.35',
        payments: [{ endToEndId: order.endToEndId, amount: '10.00', charge: '0.35' }],
      },
    ])
    assert.deepEqual(await lookAt(dear), ['done'])
    assert.deepEqual(
      bank.world.charges.map(({ amount }) => amount),
      [35n],
    )
    const lines = await bankRail(bank.world.bank).statement?.({ since: new Date(0), until: new Date(8e15) })
    for (const { key } of [...lump.drafts, ...dear.drafts]) {
      assert.equal(lines?.find(({ reference }) => reference === key)?.amount, -1_000n)
    }
    await assertBalance()
  })

  it('that comes back is reported with what came back; a second debit is not explained', async () => {
    const payment = await sent()
    const [order] = payment.orders
    assert(order)
    await stated([debitOf(order)])
    assert.deepEqual(await stated([{ ...debitOf(order), servicerReference: next('D') }]), [])
    const back = {
      ...debitOf(order),
      debit: false,
      amount: '9.50',
      servicerReference: next('R'),
      payments: [{ endToEndId: order.endToEndId, amount: '9.50', returnReason: 'AC04' }],
    }
    const [event] = await stated([back])
    assert.deepEqual([event?.kind, event?.reference, event?.amount], ['payout_returned', order.endToEndId, 950n])
    await assertBalance()
  })
})
