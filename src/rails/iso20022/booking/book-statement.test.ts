import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { kindsOf, next, nextReference, paid, payer, useBank } from '../../../../test/support/bank-session.ts'
import { camt, type CamtEntry } from '../../../../test/support/camt.ts'
import type { RailEvent } from '../../rail.ts'
import { deposits } from '../deposits.ts'

const bank = useBank()
const { notified, stated, assertBalance } = bank

describe('one booking', () => {
  const orders = [
    ['052', '053', '054'],
    ['054', '052', '053'],
    ['053', '054', '052'],
  ] as const
  for (const kinds of orders) {
    for (const servicerReference of [undefined, 'unique', 'in 053 only', 'not in 052'] as const) {
      it(`is one deposit when ${kinds.join(', ')} report it, the bank's reference ${servicerReference ?? 'absent'}`, async () => {
        const reference = nextReference()
        const its = next('C')
        const entryFor = (kind: string): CamtEntry => {
          const names =
            servicerReference === 'unique' ||
            (servicerReference === 'in 053 only' && kind === '053') ||
            (servicerReference === 'not in 052' && kind !== '052')
          return paid(reference, names ? { servicerReference: its } : {})
        }
        const events: RailEvent[] = []
        for (const kind of kinds) {
          events.push(
            ...(kind === '053' ? await stated([entryFor(kind)]) : await notified({ kind, entries: [entryFor(kind)] })),
          )
        }
        assert.deepEqual(kindsOf(events), ['deposit_final'])
        assert.equal((await deposits(bank.world.bank).look(reference)).length, 1)
        await assertBalance()
      })
    }
  }

  it('that is pending is seen, then final, under one payment', async () => {
    const reference = nextReference()
    const [seen] = await notified({ kind: '052', entries: [paid(reference, { status: 'PDNG' })] })
    assert.deepEqual(await notified({ kind: '052', entries: [paid(reference, { status: 'PDNG' })] }), [])
    const [final] = await stated([paid(reference, { date: '2026-03-03', servicerReference: next('C') })])
    assert.deepEqual([seen?.kind, final?.kind], ['deposit_seen', 'deposit_final'])
    assert.equal(seen?.payment, final?.payment)
    assert.deepEqual(await deposits(bank.world.bank).look(reference), [seen, final])
  })

  it('and an equal one are two, in one statement and in the statements of two days', async () => {
    const reference = nextReference()
    assert.deepEqual(kindsOf(await stated([paid(reference), paid(reference)])), ['deposit_final', 'deposit_final'])
    assert.deepEqual(kindsOf(await stated([paid(reference)])), ['deposit_final'])
    assert.equal((await deposits(bank.world.bank).look(reference)).length, 3)
    await assertBalance()
  })

  it('is known in a statement that the bank sends again with another file', async () => {
    const entries = [paid(nextReference()), paid(nextReference(), { servicerReference: next('C') })]
    const before = bank.world.outside.balance
    assert.equal((await stated(entries)).length, 2)
    const text = readFileSync(
      join(
        bank.world.folder,
        'in/done',
        readdirSync(join(bank.world.folder, 'in/done'))
          .filter((name) => name.startsWith('camt053'))
          .toSorted()
          .at(-1) ?? '',
      ),
      'utf8',
    )
    bank.world.outside.drop('copy.xml', text)
    assert.deepEqual(await bank.world.round(), [])
    bank.world.outside.drop('anew.xml', text.replace('T18:00:00Z', 'T19:00:00Z'))
    assert.deepEqual(await bank.world.round(), [])
    assert.equal(bank.world.outside.balance, before + 20_000n)
    await assertBalance()
  })

  it('of several payments is each of them, and the entry alone adds nothing', async () => {
    const references = [nextReference(), nextReference(), nextReference()]
    const servicerReference = next('B')
    const payments = references.map((remittance) => ({ remittance, amount: '10.00', payer }))
    const batch = { amount: '30.00', servicerReference, batch: { count: 3 } }
    const events = await notified({ kind: '054', entries: [{ ...batch, payments }] })
    assert.deepEqual(
      events.map(({ reference, amount }) => [reference, amount]),
      references.map((one) => [one, 1_000n]),
    )
    assert.deepEqual(await stated([batch]), [])
    await assertBalance()

    const other = { ...batch, servicerReference: next('B') }
    assert.deepEqual(
      (await stated([other])).map(({ reference, amount }) => [reference, amount]),
      [['', 3_000n]],
    )
    assert.deepEqual(await notified({ kind: '054', entries: [{ ...other, payments }] }), [])
    await assertBalance()
  })
})

describe('what a statement says', () => {
  it('is found in every version of the message, in any encoding, in private elements and envelopes', async () => {
    for (const version of ['02', '04', '06', '08', '10', '13']) {
      const reference = nextReference()
      assert.deepEqual(kindsOf(await stated([paid(reference)], { version })), ['deposit_final'], version)
      const [event] = await deposits(bank.world.bank).look(reference)
      const destination = await deposits(bank.world.bank).origin(event?.payment ?? '')
      assert.deepEqual(destination, { address: payer.iban, extraId: payer.bic, holder: payer.name })
    }
    const reference = nextReference()
    const extra =
      '<PrvtElmt><Amt Ccy="USD">7</Amt></PrvtElmt><b:Own xmlns:b="urn:bank"><Ntry><Amt>1</Amt></Ntry></b:Own>'
    const text = camt({
      kind: '054',
      id: next('R'),
      extra,
      entries: [paid(reference, { extra, information: 'Überweisung' })],
    })
    const wrapped = text
      .replace(
        'encoding="UTF-8"?>',
        'encoding="ISO-8859-1"?><env:BizMsg xmlns:env="urn:env"><env:AppHdr><env:Fr>X</env:Fr></env:AppHdr>',
      )
      .replace(/<\/Document>\s*$/, '</Document></env:BizMsg>')
    bank.world.outside.drop(`${next('m')}.xml`, Buffer.from(wrapped, 'latin1'))
    assert.deepEqual(kindsOf(await bank.world.round()), ['deposit_final'])
  })

  it('finds our reference in any field, and none where two are meant', async () => {
    const spaced = (text: string) => text.toLowerCase().replaceAll(/(.{3})/g, '$1 ')
    for (const fieldsOf of [
      (reference: string): Partial<CamtEntry> => ({ payments: [{ structured: reference }] }),
      (reference: string): Partial<CamtEntry> => ({ payments: [{ endToEndId: reference }] }),
      (reference: string): Partial<CamtEntry> => ({ payments: [], information: `GUTSCHRIFT ${spaced(reference)}` }),
      (reference: string): Partial<CamtEntry> => ({ payments: [{ remittance: `Danke! ${spaced(reference)} Grüße` }] }),
    ]) {
      const reference = nextReference()
      const [event] = await notified({ kind: '054', entries: [paid('', fieldsOf(reference))] })
      assert.equal(event?.reference, reference)
    }
    const two = `${nextReference()} ${nextReference()}`
    const [event] = await notified({ kind: '054', entries: [paid(two)] })
    assert.equal(event?.reference, '')
  })

  it('reverses a deposit in parts, never more than there was; another debit is not explained', async () => {
    const reference = nextReference()
    const [deposit] = await stated([paid(reference, { servicerReference: next('C') })])
    const back = (amount: string): CamtEntry =>
      paid(reference, { amount, debit: true, code: 'RRTN', payments: [{ remittance: reference, amount }] })
    const [part] = await stated([back('40.00')])
    assert.deepEqual([part?.kind, part?.payment, part?.amount], ['deposit_reversed', deposit?.payment, 4_000n])
    assert.deepEqual(await stated([back('60.01')]), [])
    const [rest] = await stated([back('60.00')])
    assert.equal(rest?.amount, 6_000n)
    assert.deepEqual(kindsOf(await deposits(bank.world.bank).look(reference)), [
      'deposit_final',
      'deposit_reversed',
      'deposit_reversed',
    ])
    await assertBalance()
  })

  it('recalls a deposit by the payer’s own reference, and within the statement that brought it', async () => {
    const endToEndId = next('INVOICE')
    const reference = nextReference()
    const entry = paid(reference, { payments: [{ remittance: reference, endToEndId, amount: '100.00', payer }] })
    const returned = { ...entry, debit: true, reversal: true, payments: [{ endToEndId, amount: '100.00' }] }
    assert.deepEqual(kindsOf(await stated([returned, entry])), ['deposit_final', 'deposit_reversed'])
    await assertBalance()
  })

  it('books charges as costs: those of an entry, of a payment, and of the account', async () => {
    const reference = nextReference()
    const [event] = await stated([
      paid(reference, {
        amount: '98.50',
        payments: [{ remittance: reference, amount: '100.00', charge: '1.50', payer }],
      }),
      { amount: '4.00', debit: true, code: 'CHRG' },
    ])
    assert.equal(event?.amount, 10_000n)
    assert.deepEqual(
      bank.world.charges.map(({ amount }) => amount).toSorted((one, other) => Number(one - other)),
      [150n, 400n],
    )
    await assertBalance()
  })

  it('reads the tax of a charge, in its amount or in addition to it', async () => {
    const record = (amount: string, tax: string) =>
      `<Rcrd><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd><Tax><Rate>21</Rate><Amt Ccy="EUR">${tax}</Amt></Tax></Rcrd>`
    const total = '<TtlChrgsAndTaxAmt Ccy="EUR">1.21</TtlChrgsAndTaxAmt>'
    const cases: [extra: string, isPaymentStated: boolean, credited: bigint, charged: bigint[]][] = [
      [record('1.00', '0.21'), true, 10_000n, [121n]],
      [record('1.21', '0.21'), true, 10_000n, [121n]],
      [total + record('1.00', '0.21'), false, 10_000n, [121n]],
      [total + record('1.21', '0.21'), false, 10_000n, [121n]],
      // Nothing says whether the tax is in the amount: what came, and the charge, are credited.
      [record('1.00', '0.21'), false, 9_979n, [100n]],
      [record('1.00', '0.20'), true, 9_879n, []],
    ]
    for (const [extra, isStated, credited, charged] of cases) {
      const reference = nextReference()
      bank.world.charges.length = 0
      const amount = isStated ? { amount: '100.00' } : {}
      const payments = [{ remittance: reference, ...amount, payer }]
      const [event] = await stated([paid(reference, { amount: '98.79', extra: `<Chrgs>${extra}</Chrgs>`, payments })])
      assert.deepEqual([event?.amount, bank.world.charges.map((one) => one.amount)], [credited, charged], extra)
      await assertBalance()
    }
  })
})
