import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { type BankExchange, ourAccount, startBankExchange } from '../support/bank-exchange.ts'
import { camt, ourIban } from '../support/camt.ts'
import { assertBooksHold, bookBalance, settled } from '../support/journey.ts'

const other = '{ currency: EUR, other: "11111111", bic: BYLADEM1001, holder: Example Ltd }'
let story: BankExchange

before(async () => {
  story = await startBankExchange({ accounts: [ourAccount, other] })
})
after(() => story.stop())

function open(amount: string, account?: string) {
  const what = ['--account', 'bank-1', '--asset', 'EUR-EUR', '--amount', amount, '--reason', 'Our own.']
  return story.line.cambio('balance', 'open', ...what, ...(account === undefined ? [] : ['--bank-account', account]))
}

async function stated(
  id: string,
  account: string,
  [opening, closing, amount]: [string, string, string?],
): Promise<void> {
  const entries = amount === undefined ? [] : [{ amount, payments: [{ remittance: 'Hello', amount }] }]
  const text = camt({ id, opening, closing, entries })
  const of = account === ourIban ? text : text.replace(`<IBAN>${ourIban}</IBAN>`, `<Othr><Id>${account}</Id></Othr>`)
  story.bank.drop(`${id}.xml`, of)
  await story.taken()
}

it('an account at a bank that comes later is opened once, with what its first statement opens with', async () => {
  await stated('S-1', ourIban, ['2000.00', '2000.00'])
  assert.equal((await open('2000')).exitCode, 0)
  assert.match(
    (await open('2000', ourIban)).err,
    /opening balance of DE02120300000000202051 at bank-1 is booked already/,
  )
  assert.match((await open('500.75', '11111111')).err, /No statement of 11111111 at bank-1 has come/)

  await stated('O-1', '11111111', ['500.75', '520.75', '20.00'])
  assert.match((await open('520.75', '11111111')).err, /The first statement of 11111111 opens with 500\.75 EUR-EUR/)
  assert.match((await open('500.75')).err, /The opening balance of EUR-EUR at bank-1 is booked already/)
  assert.match((await open('500.75', '22222222')).err, /No statement of 22222222/)
  assert.equal((await open('500.75', '11111111')).exitCode, 0)
  assert.match((await open('500.75', '11111111')).err, /opening balance of 11111111 at bank-1 is booked already/)
  assert.equal(await bookBalance(story.exchange, 'held:bank-1', 'EUR-EUR'), 252_075n)
  await assertBooksHold(story.exchange)
})

it('money of a statement before the first one is in the opening balance: it is not credited again', async () => {
  const { reference } = await story.awaited('100')
  const entries = [{ amount: '100.00', payments: [{ remittance: reference, amount: '100.00' }] }]
  story.bank.drop('S-0.xml', camt({ id: 'S-0', date: '2020-01-02', opening: '1900.00', closing: '2000.00', entries }))
  await story.taken()
  await settled(story.exchange)
  assert.match((await story.line.cambio('bank', 'file', 'list')).out, /S-0\.xml.*refused/)
  assert.equal(await bookBalance(story.exchange, 'held:bank-1', 'EUR-EUR'), 252_075n)
})
