import assert from 'node:assert/strict'
import { appendFileSync, existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'

import { kindsOf, next, nextReference, paid, useBank } from '../../../../test/support/bank-session.ts'
import { openBankWorld } from '../../../../test/support/bank-world.ts'
import { camt, type CamtStatement } from '../../../../test/support/camt.ts'
import { findStuck } from '../../../exchange/checks/stuck.ts'
import { bankRail } from '../rails.ts'

const bank = useBank()
const { stated, assertBalance, refusalOf } = bank

describe('a file', () => {
  it('is refused as a whole where something does not add up', async () => {
    const entry = paid(nextReference())
    const balances = { opening: '0.00', closing: '100.00' }
    const cases: [CamtStatement, RegExp][] = [
      [{ entries: [entry], opening: '0.00', closing: '100.01' }, /do not add up to its closing balance/],
      [{ entries: [entry], opening: '0.00' }, /lacks its opening or closing/],
      [
        { entries: [{ ...entry, amount: '100.01' }], opening: '0.00', closing: '100.01' },
        /payments of an entry do not add up/,
      ],
      [{ entries: [{ ...entry, amount: '100.001', payments: [] }], ...balances }, /cannot be read/],
      [{ entries: [{ ...entry, amount: '1e2', payments: [] }], ...balances }, /cannot be read/],
      [{ entries: [entry], ...balances, iban: 'DE89370400440532013000' }, /not in the configuration/],
      [{ entries: [entry], ...balances, currency: 'USD' }, /not in the configuration/],
      [
        {
          entries: [entry],
          ...balances,
          extra: '<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>',
        },
        /totals/,
      ],
      [
        {
          entries: [entry],
          ...balances,
          extra: '<TxsSummry><TtlCdtNtries><Sum>100.01</Sum></TtlCdtNtries></TxsSummry>',
        },
        /totals/,
      ],
    ]
    for (const [statement, reason] of cases)
      assert.match(await refusalOf(camt({ id: next('W'), ...statement })), reason)
  })

  it('is refused where it is not plain XML of a bank', async () => {
    const fine = camt({ kind: '054', id: next('R'), entries: [paid(nextReference())] })
    const bomb = '<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    const cases: [string | Buffer, RegExp][] = [
      [fine.replace('?>\n', `?>\n${bomb}`), /document type/],
      [fine.replace('100.00', '&unknown;'), /not well-formed/],
      [fine.replace('</Ntry>', '</Entry>'), /not well-formed/],
      [fine + fine, /not well-formed|more than one/],
      [Buffer.from(fine.replace('Mustermann', 'M\u00fcller'), 'latin1'), /not in the encoding/],
      [fine.replace('camt.054', 'pain.008'), /not a statement/],
      [fine.replace(/xmlns="[^"]+"/, ''), /not a statement/],
      [fine.replace('<Ntfctn>', '<Ntfctn>'.padEnd(8) + '<a>'.repeat(100) + '</a>'.repeat(100)), /nested too deeply/],
      ['PK\u0003\u0004 a zip', /not well-formed/],
      ['', /./],
    ]
    for (const [text, reason] of cases) assert.match(await refusalOf(text), reason)
  })

  it('that is cut anywhere credits nothing, is waited for, and is taken once it is whole', async () => {
    const reference = nextReference()
    const whole = camt({ kind: '054', id: next('R'), entries: [paid(reference)] })
    const path = join(bank.world.folder, 'in', 'slow.xml')
    for (const share of [0.1, 0.5, 0.9, 0.99]) {
      writeFileSync(path, whole.slice(0, Math.floor(whole.length * share)))
      const now = bank.world.bank.clock.realNow()
      utimesSync(path, now, now)
      assert.deepEqual(await bank.world.round(), [])
      assert.equal(existsSync(path), true)
    }
    appendFileSync(path, whole.slice(Math.floor(whole.length * 0.99)))
    assert.deepEqual(kindsOf(await bank.world.round()), ['deposit_final'])
    assert.match(await refusalOf(whole.slice(0, -20)), /./)
  })

  it('in another name than its own, hidden or unfinished, is left alone', async () => {
    const text = camt({ kind: '054', id: next('R'), entries: [paid(nextReference())] })
    for (const name of ['.hidden.xml', 'a.xml.tmp', 'a.xml.part'])
      writeFileSync(join(bank.world.folder, 'in', name), text)
    assert.deepEqual(await bank.world.round(), [])
    for (const name of ['.hidden.xml', 'a.xml.tmp', 'a.xml.part']) rmSync(join(bank.world.folder, 'in', name))
  })

  it('with 10,000 bookings is booked in one go', async () => {
    const entries = Array.from({ length: 10_000 }, (_, index) =>
      paid(nextReference(), { servicerReference: `T-${index}` }),
    )
    assert.equal((await stated(entries)).length, 10_000)
    await assertBalance()
  })
})

test('a file that is refused, and a gap in the numbers, are found until they are dealt with', async () => {
  const own = await openBankWorld()
  const stuck = async () => (await findStuck(own.ctx)).map(({ what, state, id }) => `${what} ${state} ${id}`)
  own.outside.state([])
  await own.round()
  assert.deepEqual(await stuck(), [])
  assert.equal((await bankRail(own.bank).check?.())?.ok, true)
  own.outside.drop('odd.xml', '<odd/>')
  own.outside.state([], { id: 'LATER', number: 4 })
  await own.round()
  assert.deepEqual((await stuck()).toSorted(), ['file refused bank-1 odd.xml', 'statement missing bank-1 2-3'])
  assert.equal((await bankRail(own.bank).check?.())?.ok, false)
  rmSync(join(own.folder, 'in/refused/odd.xml'))
  own.outside.state([], { id: 'LATE-3', number: 3 })
  await own.round()
  assert.deepEqual(await stuck(), ['statement missing bank-1 2'])
  own.outside.state([], { id: 'LATE-2', number: 2 })
  await own.round()
  assert.deepEqual(await stuck(), [])
  await own.close()
})
