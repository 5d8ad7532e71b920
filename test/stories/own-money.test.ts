import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { examine } from '../../src/exchange/checks/doctor.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { applyOwnMoneyRules, bookOwnMoney, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { addOwnMoneyRule, endOwnMoneyRule } from '../../src/exchange/operations/own-money-rules.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { exposures } from '../../src/exchange/treasury/exposure.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt, type CamtEntry } from '../support/camt.ts'
import type { CommandLine } from '../support/command.ts'
import type { Exchange } from '../support/exchange.ts'
import type { FolderBank } from '../support/folder-bank.ts'
import { advance, assertBooksHold, bookBalance, readyToPay, referenceOf } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
let exchange: Exchange
let bank: FolderBank
let command: CommandLine

before(async () => {
  story = await startBankExchange()
  ;({ exchange, bank, line: command } = story)
})
after(() => story.stop())

const ctx = () => exchange.service.composition.ctx
const order = { reason: 'The books of the firm say so.', actor: 'cli:test' }

let count = 0
const booking = (amount: string, name: string, text: string, debit: boolean): CamtEntry => {
  count += 1
  const party = debit ? { payee: { name } } : { payer: { name, iban: 'DE75512108001245126199', bic: '' } }
  return { amount, debit, servicerReference: `O-${count}`, payments: [{ remittance: text, amount, ...party }] }
}

const without = async (): Promise<{ out: string[]; in: string[] }> => ({
  out: (await listUnbookedDebits(ctx())).map(({ payment }) => payment),
  in: (await listSuspense(ctx())).map(({ id }) => String(id)),
})
const balance = (account: string): Promise<bigint> => bookBalance(exchange, account, 'EUR-EUR')

/** What `cambio doctor` has to say of the books and of what needs a person. */
const alarms = async () =>
  (await examine(ctx())).filter(({ check, state }) => state !== 'ok' && ['balances', 'stuck'].includes(check))

describe('the house’s own money', () => {
  it('alarms until it is booked, and then never again', async () => {
    bank.state([
      booking('1000.00', 'Example Ltd', 'Own funds', false),
      booking('49.99', 'Fernmelde AG', 'Phone bill 4711', true),
      booking('300.00', 'Erika Mustermann', 'Salary December', true),
    ])
    await until(async () => (await without()).out.length === 2 && (await without()).in.length === 1, 'the bookings')
    await advance(exchange, 'P1D')
    assert.ok((await verify(ctx())).some((problem) => problem.includes('bank-1')))
    const doctor = await alarms()
    assert.deepEqual(
      [...new Set(doctor.map(({ check, state }) => `${check} ${state}`))],
      ['balances fail', 'stuck warn'],
    )
    assert.ok(doctor.some(({ message }) => message.includes('bank-1') && message.includes('650.01 EUR')))
    const needs = (await listNeeds(ctx())).filter(({ cause }) => cause === 'debit')
    assert.deepEqual(
      needs.map(({ kind }) => kind),
      ['suspense', 'suspense'],
    )
    const rows = await command.told<Record<string, string>[]>('suspense', 'list')
    const out = rows.filter(({ direction }) => direction === 'out')
    assert.deepEqual(
      out.map(({ amount, payer, text }) => [amount, payer, text]),
      [
        ['49.99', 'Fernmelde AG', 'Phone bill 4711'],
        ['300', 'Erika Mustermann', 'Salary December'],
      ],
    )
    const idOf = (amount: string): string => rows.find((row) => row.amount === amount)?.id ?? assert.fail(amount)
    for (const [amount, category] of [
      ['1000', 'capital'],
      ['49.99', 'expense'],
      ['300', 'expense'],
    ] as const) {
      await command.told(
        'suspense',
        'book',
        idOf(amount),
        '--as',
        category,
        '--reason',
        'The books of the firm say so.',
      )
    }
    assert.deepEqual(await without(), { out: [], in: [] })
    assert.equal(await balance('expenses'), 34_999n)
    assert.equal(await balance('held:bank-1'), 65_001n)
    await assertBooksHold(exchange)
    assert.deepEqual(await alarms(), [])
    await advance(exchange, 'P4D')
    await reconcile(ctx())
    assert.deepEqual(await listBreaks(ctx(), { open: true }), [])
    // What the firm pays for itself is neither exposure nor what exchanges cost.
    assert.equal((await exposures(ctx())).find(({ currency }) => currency === 'EUR')?.amount ?? 0n, 0n)
  })

  it('is booked once, and never where it has an order', async () => {
    bank.state([booking('12.00', 'Bank AG', 'Account fee', true)])
    await until(async () => (await without()).out.length === 1, 'the booking')
    const [id = ''] = (await without()).out
    const results = await Promise.allSettled(
      ['fee', 'expense', 'tax'].map((category) => bookOwnMoney(ctx(), id, { ...order, category: category as 'fee' })),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    await assert.rejects(bookOwnMoney(ctx(), id, { ...order, category: 'fee' }), { code: 'NOT_FOUND' })
    await assert.rejects(bookOwnMoney(ctx(), '999999', { ...order, category: 'fee' }), { code: 'NOT_FOUND' })
    await assertBooksHold(exchange)
  })

  it('that repeats is booked by a rule, up to its amount, until the rule ends', async () => {
    const rule = {
      direction: 'out',
      party: 'fernmelde',
      text: '',
      asset: 'EUR-EUR',
      most: '60',
      every: 'month',
      category: 'expense',
    } as const
    const id = await addOwnMoneyRule(ctx(), { ...order, ...rule })
    const before = await balance('expenses')
    bank.state([
      booking('51.20', 'FERNMELDE AG', 'Phone bill 4712', true),
      booking('77.00', 'Fernmelde AG', 'Phone bill 4713', true),
      booking('15.00', 'Other AG', 'Fernmelde', true),
    ])
    await until(async () => (await listUnbookedDebits(ctx())).length === 3, 'the bookings')
    await Promise.all([applyOwnMoneyRules(ctx()), applyOwnMoneyRules(ctx())])
    assert.equal(await balance('expenses'), before + 5_120n)
    assert.equal((await without()).out.length, 2)
    await endOwnMoneyRule(ctx(), id, order)
    bank.state([booking('52.00', 'Fernmelde AG', 'Phone bill 4714', true)])
    await until(async () => (await without()).out.length === 3, 'the next one')
    await applyOwnMoneyRules(ctx())
    assert.equal((await without()).out.length, 3)
  })

  it('that repeats every month is booked once a month by the bank’s days, and the rest waits with the reason', async () => {
    const words = ['suspense', 'rule', 'add', '--party', 'Wasserwerk', '--as', 'expense', '--most', '60']
    const { rule_id: id } = await command.told<{ rule_id: string }>(...words, '--reason', 'The water of every month.')
    const before = await balance('expenses')
    const lying = async () => (await without()).out.length
    const others = await lying()
    const water = async (on: string, ...amounts: string[]): Promise<void> => {
      bank.state(
        amounts.map((amount) => booking(amount, 'Wasserwerk', 'Water', true)),
        { date: on },
      )
      const seen = await lying()
      await until(async () => (await lying()) === seen + amounts.length, 'the bookings')
      await Promise.all([applyOwnMoneyRules(ctx()), applyOwnMoneyRules(ctx())])
    }
    await water('2026-03-01', '31.00', '31.50')
    await water('2026-03-31', '32.00')
    assert.equal(await balance('expenses'), before + 3_100n)
    await water('2026-04-01', '99.00')
    await water('2026-04-02', '33.00')
    assert.equal(await balance('expenses'), before + 6_400n)
    assert.equal(await lying(), others + 3)
    const left = await command.told<Record<string, string | null>[]>('suspense', 'list')
    const march = `The rule ${id} books one a month, and has booked that of 2026-03.`
    assert.deepEqual(
      left.flatMap(({ payer, amount, waits_because: why }) => (payer === 'Wasserwerk' ? [[amount, why]] : [])),
      [
        ['31.5', march],
        ['32', march],
        ['99', `The rule ${id} books at most 60 EUR at once.`],
      ],
    )
    await endOwnMoneyRule(ctx(), BigInt(id), order)
    await assertBooksHold(exchange)
  })

  describe('that comes in', () => {
    const rule = {
      direction: 'in',
      party: 'zinsbank',
      text: 'Interest',
      asset: 'EUR-EUR',
      most: '500',
      every: 'booking',
    } as const
    const iban = 'DE75512108001245126199'
    const credit = (amount: string, text: string): CamtEntry => booking(amount, 'Zinsbank AG', text, false)
    /** Lets the bank state something, and rules look at it. Gives the amounts that still lie in suspense. */
    const leftOf = async (entries: CamtEntry[], lying: number): Promise<bigint[]> => {
      bank.state(entries)
      await until(async () => (await without()).in.length === lying, 'the bookings')
      await applyOwnMoneyRules(ctx())
      return (await listSuspense(ctx())).map(({ amount }) => amount)
    }

    it('is booked by the text of a rule, or by the account of who pays', async () => {
      const before = await balance('interest')
      const bad = { code: 'BAD_REQUEST', message: /needs a text, or the IBAN/ }
      await assert.rejects(addOwnMoneyRule(ctx(), { ...order, ...rule, text: ' ', category: 'interest' }), bad)
      const byText = await addOwnMoneyRule(ctx(), { ...order, ...rule, category: 'interest' })
      assert.deepEqual(await leftOf([credit('3.21', 'Interest 2026'), credit('4.32', 'Thank you')], 2), [432n])
      assert.equal(await balance('interest'), before - 321n)
      await endOwnMoneyRule(ctx(), byText, order)
      const party = `${iban.slice(0, 4)} ${iban.slice(4)}`
      const byAccount = await addOwnMoneyRule(ctx(), { ...order, ...rule, party, text: '', category: 'interest' })
      await applyOwnMoneyRules(ctx())
      assert.deepEqual(await without().then((left) => left.in), [])
      await endOwnMoneyRule(ctx(), byAccount, order)
      await assertBooksHold(exchange)
    })

    it('is left to a person where it may be for an order, or may be double', async () => {
      const before = await balance('interest')
      await addOwnMoneyRule(ctx(), { ...order, ...rule, text: 'Interest', category: 'interest' })
      const { id } = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
      const reference = await referenceOf(exchange, id)
      const mistyped = `Interest ${reference.slice(0, -2)}${reference.endsWith('AA') ? 'BB' : 'AA'}`
      assert.deepEqual(await leftOf([credit('240.00', mistyped)], 1), [24_000n])
      // The same payment in a notification and in the statement, under two references of the bank.
      const twice = (servicerReference: string): CamtEntry => ({
        amount: '77.70',
        servicerReference,
        payments: [
          { remittance: 'Interest', endToEndId: 'I-1', amount: '77.70', payer: { name: 'Zinsbank AG', iban, bic: '' } },
        ],
      })
      bank.drop('notified.xml', camt({ kind: '054', id: 'N-1', entries: [twice('N-A')] }))
      await until(async () => (await without()).in.length === 2, 'the notification')
      await applyOwnMoneyRules(ctx())
      assert.equal(await balance('interest'), before - 7_770n)
      assert.deepEqual(await leftOf([twice('N-B')], 2), [24_000n, 7_770n])
      assert.equal((await listSuspense(ctx())).at(-1)?.doubt?.of.length, 1)
      assert.equal(await balance('interest'), before - 7_770n)
    })
  })
})
