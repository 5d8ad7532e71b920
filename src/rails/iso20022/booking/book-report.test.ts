import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { next, nextId, payer, useBank } from '../../../../test/support/bank-session.ts'
import { type CamtEntry, pain002 } from '../../../../test/support/camt.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import { findingsOf } from '../findings.ts'
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

  it('waits where the payee’s bank has another name, which is kept sealed, and ends as its status says then', async () => {
    for (const [status, names, match] of [
      ['RCVC', [], 'match'],
      ['RVMC', ['Erika Musterfrau'], 'close'],
      ['RVNM', ['Firma Beispiel', 'Inhaber Otto'], 'none'],
      ['RVNA', [], 'unknown'],
    ] as const) {
      const payment = await sent()
      const [order] = payment.orders
      assert(order)
      const say = async (own: { status: string; names?: string[] }): Promise<void> => {
        const parts = [{ id: order.part, payments: [{ endToEndId: order.endToEndId, ...own }] }]
        bank.world.outside.drop(`${next('v')}.xml`, pain002({ messageId: order.messageId, group: 'PART', parts }))
        await bank.world.round()
      }
      await say({ status, names: [...names] })
      assert.deepEqual(await lookAt(payment), ['pending'])
      const [draft] = payment.drafts
      assert(draft)
      const payee = { match, names: names.join('; ') }
      assert.deepEqual(await payment.half.progress?.(draft), { state: 'sent', payee })
      const stored = await bank.world.ctx.db.sql<{ names: Buffer | null }>`
        select payee_names as names from iso20022_payments where key = ${draft.key}`
      assert.ok(names.every((name) => !stored[0]?.names?.includes(name)))
      await say({ status: 'ACSC' })
      assert.deepEqual(
        [await lookAt(payment), await payment.half.progress?.(draft)],
        [['done'], { state: 'done', payee }],
      )
    }
  })

  it('is debited once where messages have other references of the bank, days and spellings for it', async () => {
    for (const kinds of [
      ['054', '053'],
      ['053', '054'],
      ['052', '053'],
    ] as const) {
      for (const count of [1, 2]) {
        const payment = await sent(count)
        const [order] = payment.orders
        assert(order)
        const batch = { messageId: order.messageId, paymentInformationId: order.part, count }
        for (const [index, kind] of kinds.entries()) {
          const entry: CamtEntry = {
            amount: `${count}0.00`,
            debit: true,
            servicerReference: next('D'),
            date: kind === '053' ? '2026-03-02' : '2026-02-28',
            ...(count === 1
              ? { payments: [{ endToEndId: order.endToEndId, amount: '10.00', payee: { name: `Erika ${index}` } }] }
              : { batch }),
          }
          await (kind === '053' ? stated([entry]) : bank.notified({ kind, entries: [entry] }))
        }
        assert.deepEqual(
          await lookAt(payment),
          Array.from({ length: count }, () => 'done'),
        )
        const rows = await bank.world.ctx.db.sql<{ kind: string; is_covered: boolean }>`
          select kind, statement_id is not null as is_covered from iso20022_bookings where direction = 'out'
            and id >= (select min(debited_by) from iso20022_payments where key = ${order.endToEndId})`
        assert.deepEqual(rows, [{ kind: 'payout', is_covered: true }], `${kinds.join()} ${count}`)
        await assertBalance()
      }
    }
  })

  it('is carried out by the debit with its key, whatever debit without one was reported of that day', async () => {
    const payment = await sent()
    const date = '2026-05-04'
    const bare: CamtEntry = { amount: '10.00', debit: true }
    await bank.notified({ kind: '052', date, entries: [bare] })
    await bank.notified({ kind: '052', date, entries: payment.orders.map(debitOf) })
    assert.deepEqual(await lookAt(payment), ['done'])
    await stated([bare, ...payment.orders.map(debitOf)], { date })
    const rows = await bank.world.ctx.db.sql<{ kind: string; doubt: string | null }>`
      select kind, doubt from iso20022_bookings where direction = 'out' and booked_on = ${date} order by id`
    assert.deepEqual(rows, [
      { kind: 'unexplained', doubt: null },
      { kind: 'payout', doubt: null },
    ])
    await assertBalance()
  })

  it('that the bank never answers is ended once a statement of a later day has no debit, and not paid then', async () => {
    const payment = await sent()
    const [draft] = payment.drafts
    assert(draft)
    const end = (how: 'check' | 'end') => payment.half.end?.(draft, how)
    const dayAfter = (days: number): string =>
      new Date(bank.world.bank.clock.realNow().getTime() + days * 86_400_000).toISOString().slice(0, 10)
    const refused = { code: 'NOT_EXCLUDED' }
    await assert.rejects(end('check') ?? Promise.resolve(), refused)
    await stated([], { date: dayAfter(0) })
    await assert.rejects(end('end') ?? Promise.resolve(), refused)
    await stated([], { date: dayAfter(1) })
    await end('check')
    assert.deepEqual(await lookAt(payment), ['pending'])
    await end('end')
    await end('end')
    assert.deepEqual(await lookAt(payment), ['never'])
    for (const submitted of payment.drafts) await payment.half.submit(submitted)
    await bank.world.round()
    assert.deepEqual(bank.world.outside.collect(), [])
    // What the bank debits after all has no order any more: a person decides.
    const [order] = payment.orders
    assert(order)
    await stated([debitOf(order)], { date: dayAfter(2) })
    const rows = await bank.world.ctx.db.sql<{ kind: string }>`
      select kind from iso20022_bookings where payment_key = ${draft.key}`
    assert.deepEqual(rows, [{ kind: 'unexplained' }])
    assert.deepEqual(await lookAt(payment), ['never'])

    const paid = await sent()
    await stated(paid.orders.map(debitOf), { date: dayAfter(3) })
    await assert.rejects(payment.half.end?.(paid.drafts[0] ?? draft, 'check') ?? Promise.resolve(), refused)
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
      const key = `payment ${payment.drafts[0]?.key}`
      const finding = (await findingsOf(bank.world.bank)).find((one) => one.key === key)
      const expected = outcome === 'done' ? ['missing', 1_000n] : ['swallowed', -1_000n]
      assert.deepEqual([finding?.cause, finding?.amount], expected)
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
