import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { kindsOf, next, nextReference, paid, payer, useBank } from '../../../../test/support/bank-session.ts'
import { camt, type CamtEntry } from '../../../../test/support/camt.ts'
import { euros } from '../../../../test/support/folder-bank.ts'
import type { RailEvent } from '../../rail.ts'

const bank = useBank()
const { notified, stated } = bank

describe('messages that contradict each other', () => {
  const said = (reference: string, change: Partial<CamtEntry>, endToEndId: string): CamtEntry =>
    paid(reference, { payments: [{ remittance: reference, endToEndId, amount: '100.00', payer }], ...change })

  it('credit an order once where only the bank’s reference differs: the other booking waits in suspense', async () => {
    const [reference, end] = [nextReference(), next('INVOICE')]
    const [first] = await notified({ kind: '054', entries: [said(reference, { servicerReference: next('A') }, end)] })
    const [second] = await stated([said(reference, { servicerReference: next('B') }, end)])
    assert.deepEqual([first?.reference, second?.reference], [reference, ''])
    const [row] = await bank.world.ctx.db.sql<{
      doubt: string | null
    }>`select doubt from iso20022_bookings order by id desc limit 1`
    assert.equal(row?.doubt, 'double')
  })

  it('do not where one gives the bank’s reference of a payment, and the other one that of the entry, too', async () => {
    for (const isStatementFirst of [false, true]) {
      const [reference, servicerReference] = [nextReference(), next('A')]
      const payments = [{ remittance: reference, amount: '100.00', servicerReference }]
      const notice = () => notified({ kind: '054', entries: [paid(reference, { servicerReference })] })
      const statement = () => stated([paid(reference, { servicerReference: next('BATCH'), payments })])
      const events = isStatementFirst
        ? [...(await statement()), ...(await notice())]
        : [...(await notice()), ...(await statement())]
      assert.deepEqual(
        events.map((event) => event.reference),
        [reference],
      )
      await bank.assertBalance()
    }
  })

  it('reverse a deposit once where only the bank’s reference differs: the other debit is not explained', async () => {
    const reference = nextReference()
    const back = (): CamtEntry =>
      paid(reference, {
        amount: '40.00',
        debit: true,
        servicerReference: next('R'),
        payments: [{ remittance: reference, amount: '40.00' }],
      })
    assert.deepEqual(kindsOf(await stated([paid(reference)])), ['deposit_final'])
    assert.deepEqual(kindsOf(await notified({ kind: '054', entries: [back()] })), ['deposit_reversed'])
    assert.deepEqual(await stated([back()]), [])
    const rows = await bank.world.ctx.db.sql<{ kind: string; doubt: string | null }>`
      select kind, doubt from iso20022_bookings order by id desc limit 1`
    assert.deepEqual(rows, [{ kind: 'unexplained', doubt: 'double' }])
  })

  it('of one kind are about one booking where one says more: what neither identifies waits in suspense', async () => {
    const end = next('INVOICE')
    let cases = 0
    for (const [first, second, references] of [
      [
        { remittance: true, servicerReference: 'X' },
        { remittance: true, servicerReference: 'X', endToEndId: end },
        [true],
      ],
      [{ remittance: true, servicerReference: 'X' }, { remittance: 'RF18 53', servicerReference: 'X' }, [true]],
      [{ remittance: true }, { remittance: true, endToEndId: end }, [true]],
      [{ remittance: true, endToEndId: end }, { endToEndId: end, servicerReference: 'X' }, [true]],
      [{}, { remittance: true }, [false, false]],
      [{ remittance: true }, { endToEndId: end }, [true, false]],
      [{ remittance: true, endToEndId: 'A' }, { remittance: true, endToEndId: 'B' }, [true, true]],
      [{ remittance: true, servicerReference: 'A' }, { remittance: true, servicerReference: 'B' }, [true, true]],
    ] as const) {
      for (const kind of ['052', '054'] as const) {
        const reference = nextReference()
        const events: RailEvent[] = []
        const unique = next('')
        // Days far apart: nothing of another case is alike.
        const date = new Date(Date.UTC(2027, 0, 1) + (cases += 1) * 30 * 86_400_000).toISOString().slice(0, 10)
        for (const said of [first, second]) {
          const { remittance, endToEndId, servicerReference } = {
            remittance: false,
            endToEndId: '',
            servicerReference: '',
            ...said,
          }
          const text = remittance === true ? reference : remittance
          const payment = {
            amount: '100.00',
            payer,
            ...(text === false ? {} : { remittance: text }),
            ...(endToEndId === '' ? {} : { endToEndId: `${endToEndId}${unique}` }),
          }
          const own = servicerReference === '' ? {} : { servicerReference: `${servicerReference}${unique}` }
          events.push(...(await notified({ kind, date, entries: [{ amount: '100.00', ...own, payments: [payment] }] })))
        }
        assert.deepEqual(
          events.map((event) => event.reference),
          references.map((isCredited) => (isCredited ? reference : '')),
          `${kind} ${JSON.stringify([first, second])}`,
        )
      }
    }
  })

  it('leave a doubt where the bank’s reference and the amount are equal, but not the payer’s own reference', async () => {
    const [reference, servicerReference] = [nextReference(), next('A')]
    await notified({ kind: '054', entries: [said(reference, { servicerReference }, next('INVOICE'))] })
    const [second] = await stated([said(reference, { servicerReference }, next('INVOICE'))])
    assert.equal(second?.reference, '')
    const [row] = await bank.world.ctx.db.sql<{
      doubt: string | null
    }>`select doubt from iso20022_bookings order by id desc limit 1`
    assert.equal(row?.doubt, 'double')
  })

  it('are two payments where the payers, the references of ours or the payer’s own ones differ', async () => {
    const its = next('C')
    const other = { name: 'Tomas Petrauskas', iban: 'LT121000011101001000', bic: 'HABALT22XXX' }
    const [one, two] = [nextReference(), nextReference()]
    const entry = (reference: string, by: typeof payer, endToEndId: string): CamtEntry =>
      paid(reference, {
        servicerReference: its,
        payments: [{ remittance: reference, amount: '100.00', payer: by, endToEndId }],
      })
    for (const entries of [
      [entry(one, payer, 'X-1')],
      [entry(two, payer, 'X-1')],
      [entry(one, other, 'X-1')],
      [entry(one, payer, 'X-2')],
    ])
      assert.deepEqual(kindsOf(await notified({ kind: '054', entries })), ['deposit_final'])
  })

  it('credit once where they agree in our reference and differ in the bank’s, whatever kinds they are: the other waits', async () => {
    // A payer whose account a message leaves out, as banks do.
    const named = '<RltdPties><Dbtr><Pty><Nm>Anna Example</Nm></Pty></Dbtr></RltdPties>'
    for (const kinds of [
      ['054', '053'],
      ['053', '054'],
      ['052', '053'],
      ['052', '054'],
    ] as const) {
      const { outside } = bank.world
      const reference = nextReference()
      const events = []
      for (const kind of kinds) {
        const opening = outside.balance
        if (kind === '053') [outside.balance, outside.number] = [opening + 10_000n, outside.number + 1]
        const balances = { opening: euros(opening), closing: euros(outside.balance), number: outside.number }
        const payments = [{ amount: '100.00', remittance: reference }]
        const text = camt({
          kind,
          id: next('N'),
          ...(kind === '053' ? balances : {}),
          entries: [{ amount: '100.00', servicerReference: next('C'), payments }],
        })
        outside.drop(`${next('m')}.xml`, text.replace('<RmtInf>', `${named}<RmtInf>`))
        events.push(...(await bank.world.round()))
      }
      assert.deepEqual(
        events.map((event) => [event.kind, event.reference]),
        [
          ['deposit_final', reference],
          ['deposit_final', ''],
        ],
        kinds.join(),
      )
    }
  })
})
