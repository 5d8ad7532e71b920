import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import { examine } from '../../src/exchange/checks/doctor.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { applyOwnMoneyRules, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { type BankShape, centsOf, movedBy, noticeOf, type ShapedBooking, textOf } from '../support/bank-shapes/shape.ts'
import { bankShapes } from '../support/bank-shapes/shapes.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, assertBooksHold, bookBalance, lookup, readyToPay, settled } from '../support/journey.ts'
import { formSender } from '../support/send-forms.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

const shapes = Object.entries<BankShape>(bankShapes)
const days = Array.from({ length: 20 }, (_, index) => `2026-12-${String(index + 3).padStart(2, '0')}`)
const ordersOfMonth = 24

let folder = ''
let exchange: Exchange
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cambio-month-'))
  const rails = shapes.map(([name, { account, bic }]) => {
    mkdirSync(join(folder, name))
    const id = Object.entries(account).map(([key, value]) => `${key}: "${value}"`)
    return `  - { kind: iso20022, name: ${name}, in: ./${name}/in, out: ./${name}/out, every: PT0.2S, serves: [SEPA],
      accounts: [{ currency: EUR, ${id.join()}, bic: ${bic}, holder: Example Ltd }] }`
  })
  const file = join(folder, 'exchange.yaml')
  writeFileSync(file, `rails:\n${rails.join('\n')}\n`)
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIG_FILE: file })
})
after(async () => {
  await exchange.stop()
  rmSync(folder, { recursive: true, force: true })
})

const ctx = () => exchange.service.composition.ctx
const reason = 'The books of the firm say so.'
/** What `cambio doctor` says of what fails, of the books and of what needs a person. */
const alarms = async () =>
  (await examine(ctx())).filter(
    ({ check, state: outcome }) => outcome === 'fail' || (outcome === 'warn' && ['balances', 'stuck'].includes(check)),
  )

/** What happened at one bank on one day. */
type Booked = { bank: string; day: number; booking: ShapedBooking }

/** Orders of customers, each paid at the bank that it was given, over the month. */
async function paidOrders(): Promise<{ ids: string[]; booked: Booked[] }> {
  const ids: string[] = []
  const booked: Booked[] = []
  for (let index = 0; index < ordersOfMonth; index += 1) {
    const { id } = await readyToPay(exchange, { from_amount: '100', deposit: { payment_category: 'SEPA' } })
    const [row] = await lookup<{ rail: string; reference: string }>(
      exchange,
      `select rail, reference from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1`,
      [id],
    )
    assert.ok(row)
    ids.push(id)
    const party = { name: `Customer Ä${index}`, account: 'DE89370400440532013000' }
    const booking = {
      amount: '100.00',
      bankReference: `ORDER${index}`,
      text: row.reference,
      endToEndId: `E2E-${index}`,
      party,
    }
    booked.push({ bank: row.rail, day: 1 + (index % (days.length - 1)), booking })
  }
  return { ids, booked }
}

/** What a firm of its own has at each bank: capital, the phone, salaries, rent, fees of the bank, and money of strangers. */
function ownBookings(count: number): Booked[] {
  const all: Booked[] = shapes.map(([bank]) => ({
    bank,
    day: 0,
    booking: {
      amount: '20000.00',
      bankReference: `CAP${bank}`,
      text: 'Capital',
      party: { name: 'The Founders', account: 'DE75512108001245126199' },
    },
  }))
  for (let index = 0; all.length < count; index += 1) {
    const [bank = ''] = shapes[index % shapes.length] ?? []
    const debit = { debit: true, bankReference: `OWN${index}`, endToEndId: `OWN-${index}` }
    const amount = textOf(BigInt(1_000 + index * 7))
    const payee = (name: string) => ({ name, account: 'NL20INGB0001234567' })
    const kinds: ShapedBooking[] = [
      { ...debit, amount, text: 'Phone bill', party: payee('Fernmelde AG') },
      { amount: '2.50', debit: true, bankReference: `FEE${index}`, isCharge: true },
      { ...debit, amount, text: 'Salary', party: payee(`Employee ${index}`) },
      {
        amount: '33.10',
        bankReference: `STRAY${index}`,
        text: bank === 'nordea' ? '' : 'For nobody',
        party: { name: `Stranger ${index}`, account: 'FR1420041010050500013M02606' },
        ...(['postfinance', 'centrolink'].includes(bank) ? { kept: '0.30' } : {}),
      },
    ]
    all.push({
      bank,
      day: 1 + (Math.floor(index / 5) % (days.length - 1)),
      booking: kinds[Math.floor(index / shapes.length) % kinds.length] ?? assert.fail(),
    })
  }
  return all
}

/** A bank notifies of every order, and of some of what comes besides, its own fees among them. */
const isNotified = ({ booking: { bankReference } }: Booked): boolean =>
  /^ORDER|^(STRAY|FEE)\d*[0-4]$/.test(bankReference)

/** What a notification reports without the code of a charge waits for a person, as each debit without an order does. */
const isForPerson = (one: Booked): boolean =>
  one.booking.debit === true && (!one.booking.isCharge || one.bank === 'wise' || isNotified(one))

function drop(bank: string, { name, content }: { name: string; content: Buffer }): void {
  writeFileSync(join(folder, bank, name), content)
  renameSync(join(folder, bank, name), join(folder, bank, 'in', name))
}

const everyFileIsRead = () =>
  until(
    () =>
      Promise.resolve(
        shapes.every(([bank]) =>
          readdirSync(join(folder, bank, 'in')).every((name) => ['done', 'refused'].includes(name)),
        ),
      ),
    'every file to be read',
  )

/** Notifies of bookings in the poorer form that each bank has for that, before their statements. */
async function notify(booked: Booked[]): Promise<void> {
  for (const [bank, shape] of shapes) {
    const own = booked
      .filter((one) => one.bank === bank)
      .map(({ day, booking }) => ({ date: days[day] ?? '', booking }))
    drop(bank, noticeOf(shape, `NOTICE-${bank}`, own))
  }
  await everyFileIsRead()
}

/** Writes the statements of all days, and gives what each bank holds at the end, in cents. */
async function state(booked: Booked[]): Promise<bigint> {
  let held = 0n
  for (const [bank, shape] of shapes) {
    let balance = 0n
    for (const [day, date] of days.entries()) {
      const bookings = booked.filter((one) => one.bank === bank && one.day === day).map(({ booking }) => booking)
      const opening = balance
      for (const one of bookings) balance += movedBy(one)
      for (const file of shape.files({
        number: 200 + day,
        date,
        opening: textOf(opening),
        closing: textOf(balance),
        bookings,
      }))
        drop(bank, file)
    }
    held += balance
  }
  await everyFileIsRead()
  assert.deepEqual(
    shapes.flatMap(([bank]) => readdirSync(join(folder, bank, 'in/refused'))),
    [],
  )
  return held
}

it('a month of a firm with 400 bookings at eight banks is reconciled to the cent, and what has no order is booked by a person, all of it from a page', async () => {
  const { ids, booked } = await paidOrders()
  const all = [...booked, ...ownBookings(400 - booked.length)]
  assert.equal(all.length, 400)
  await notify(all.filter(isNotified))
  const held = await state(all)
  for (const id of ids) await arrive(exchange, id, 'finished')
  await settled(exchange)
  await advance(exchange, 'PT2H')

  const { breaks } = await reconcile(ctx())
  const debits = all.filter(isForPerson)
  assert.equal(breaks.length, debits.length, 'each debit without an order is a break, and nothing else is')
  assert.deepEqual([...new Set(breaks.map(({ cause }) => cause))].toSorted(), ['charge_not_booked', 'not_ours'])

  const phone = {
    direction: 'out',
    party: 'Fernmelde AG',
    text: 'phone',
    asset: 'EUR-EUR',
    most: '1000',
    as: 'expense',
  } as const
  await makeOperators(exchange)
  const browser = staffBrowser(() => exchange)
  const [forms, finance] = [formSender(browser), await browser.as('finance')]
  const byForm = (form: Record<string, string>) => forms.send('/console/money', finance, { reason, ...form })
  await byForm({ action: 'add-rule', ...phone })
  await applyOwnMoneyRules(ctx())
  const categories = new Map([
    ...(await listUnbookedDebits(ctx())).map(
      ({ payment, party }) => [payment, party.name === '' ? 'fee' : 'expense'] as const,
    ),
    ...(await listSuspense(ctx())).map(
      ({ id, amount }) => [String(id), amount === centsOf('20000.00') ? 'capital' : 'transfer'] as const,
    ),
  ])
  assert.deepEqual([...new Set(categories.values())].toSorted(), ['capital', 'expense', 'fee', 'transfer'])
  // One of each by a person who looks at the page that follows, and the others by the forms that the page has then.
  for (const as of new Set(categories.values())) {
    const [about = ''] = [...categories].find(([, one]) => one === as) ?? []
    assert.match(await byForm({ action: 'book', about, as }), new RegExp(`booked as ${as}`))
    categories.delete(about)
  }
  while (categories.size > 0) {
    const left = categories.size
    for (const form of await forms.formsOf('/console/money', finance, 'book')) {
      const id = Object.values(form).find((one) => categories.has(one)) ?? ''
      const as = categories.get(id)
      if (as === undefined) continue
      const typed = { ...form, as, reason }
      const { status, body } = await browser.ask('/console/money', { cookie: finance, form: typed })
      assert.equal(status, 303, body.slice(0, 2_000))
      categories.delete(id)
    }
    assert.ok(categories.size < left, `the page has no form for ${[...categories.keys()].join()}`)
  }
  assert.deepEqual((await reconcile(ctx())).breaks, [])
  assert.deepEqual([await listUnbookedDebits(ctx()), await listSuspense(ctx())], [[], []])

  const booksHold = await Promise.all(shapes.map(([bank]) => bookBalance(exchange, `held:${bank}`, 'EUR-EUR')))
  assert.equal(
    booksHold.reduce((sum, one) => sum + one, 0n),
    held,
  )
  assert.deepEqual(await verify(ctx()), [])
  assert.deepEqual(await alarms(), [])
  await assertBooksHold(exchange)
})
