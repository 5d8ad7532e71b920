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

const what = ['--account', 'bank-1', '--asset', 'EUR-EUR', '--amount', '1900', '--reason', 'Our own.']
const held = () => bookBalance(story.exchange, 'held:bank-1', 'EUR-EUR')
const refused = async () => (await story.line.cambio('bank', 'file', 'list')).out

/** Statements of two days, the later one first, each of an account that began with 1900.00 and got 100.00 from a customer on the first day. */
async function twoDays(account: string): Promise<void> {
  const { reference } = await story.awaited('100')
  const entries = [{ amount: '100.00', payments: [{ remittance: reference, amount: '100.00' }] }]
  for (const [id, statement] of [
    ['2', { date: '2026-03-02', opening: '2000.00', closing: '2000.00', entries: [] }],
    ['1', { date: '2026-03-01', opening: '1900.00', closing: '2000.00', entries }],
  ] as const) {
    const text = camt({ id: `${account}-${id}`, ...statement, entries: [...statement.entries] })
    const of = text.replace(`<IBAN>${ourIban}</IBAN>`, `<Othr><Id>${account}</Id></Othr>`)
    story.bank.drop(`${account}-${id}.xml`, account === ourIban ? text : of)
    await story.taken()
  }
  await settled(story.exchange)
}

it('a first day that is read after the second one is credited: the opening balance is what it began with', async () => {
  assert.equal((await story.line.cambio('balance', 'open', ...what)).exitCode, 0)
  await twoDays(ourIban)
  assert.doesNotMatch(await refused(), /refused/)
  assert.equal(await held(), 200_000n)
  const again = await story.line.cambio('balance', 'open', ...what, '--bank-account', ourIban)
  assert.match(again.err, /opening balance of DE02120300000000202051 at bank-1 is booked already/)
  await assertBooksHold(story.exchange)
})

it('so is that of an account that came later, which the opening balance is not of', async () => {
  await twoDays('11111111')
  assert.doesNotMatch(await refused(), /refused/)
  assert.equal(await held(), 210_000n)
  assert.equal((await story.line.cambio('balance', 'open', ...what, '--bank-account', '11111111')).exitCode, 0)
  await assertBooksHold(story.exchange)
})
