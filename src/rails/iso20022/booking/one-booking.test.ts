import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import fc from 'fast-check'

import { kindsOf, next, nextReference, payer } from '../../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../../test/support/bank-world.ts'
import { camt, type CamtEntry, type CamtStatement } from '../../../../test/support/camt.ts'
import { cents, euros } from '../../../../test/support/folder-bank.ts'
import type { RailEvent } from '../../rail.ts'
import { findingsOf } from '../findings.ts'
import { bankRail } from '../rails.ts'

let world: BankWorld
let number = 0
let balance = 1_000_000n
let day = Date.parse('2026-01-05')

before(async () => {
  world = await openBankWorld()
})
after(() => world.close())

const dayMs = 86_400_000
const dayAfter = (days: number): string => new Date(day + days * dayMs).toISOString().slice(0, 10)

/** What the bank itself writes to a booking. */
const information = fc.constantFrom('', 'Überweisung', 'GUTSCHRIFT SEPA')
/** What one message leaves out of a booking, whatever others of its kind say, and how it is sent. */
const message = fc.record({
  kind: fc.constantFrom('052' as const, '054' as const),
  leavesOut: fc.subarray(['bank', 'end', 'payer', 'remittance'] as const),
  information,
  /** The notification's day: a Saturday's is booked on Monday. */
  isEarly: fc.boolean(),
  isPending: fc.boolean(),
})
const booking = fc.record({
  notifications: fc.array(message, { maxLength: 4 }),
  /** How often the statement comes, each time under another id. */
  statements: fc.integer({ min: 1, max: 3 }),
  statementLeavesOut: fc.subarray(['bank', 'end', 'payer', 'remittance'] as const),
  statementInformation: information,
  /** What every message has where one of them lacks what the payer wrote. */
  keeps: fc.constantFrom('bank' as const, 'end' as const),
  /** Which messages say that the bank kept 1.00 of it; none where nothing was kept. */
  chargeIn: fc.constantFrom('none' as const, 'notifications' as const, 'statement' as const, 'all' as const),
  hasTwin: fc.boolean(),
  isNumbered: fc.boolean(),
  /** The page that the statement has the booking on, if it comes in two: the twin is on the other one. */
  page: fc.constantFrom(undefined, 1 as const, 2 as const),
  /** Which message comes cut off first, and after how much of it; whether it is given up before the whole one comes. */
  cut: fc.record({ index: fc.nat({ max: 9 }), percent: fc.integer({ min: 1, max: 99 }), isGivenUp: fc.boolean() }),
  order: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 10, maxLength: 10 }),
})

/** A statement as one file, or in two pages with its first entry on one of them and the others on the other one. */
function pagesOf(statement: CamtStatement & { opening: string; closing: string }, page: 1 | 2 | undefined) {
  if (page === undefined) return [{ text: camt(statement), page }]
  const { opening, closing } = statement
  const [first, others] = [statement.entries.slice(0, 1), statement.entries.slice(1)]
  const parts = page === 1 ? [first, others] : [others, first]
  const sum = (parts[0] ?? []).reduce((all, { amount }) => all + cents(amount), 0n)
  const between = euros(cents(opening) + sum)
  return parts.map((entries, index) => {
    const isLast = index === 1
    const extra = `<StmtPgntn><PgNb>${index + 1}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`
    const balances = isLast ? { opening: between, closing } : { opening, closing: between }
    const text = camt({ ...statement, ...balances, entries, extra })
    return { text: isLast ? text : text.replace('>CLBD<', '>ITBD<'), page: index + 1 }
  })
}

/** The messages that say something of the booking when they come: a second page says nothing before the first one. */
const aboutIt = <Sent extends { page: number | undefined }>(sent: readonly Sent[], page: number | undefined): Sent[] =>
  sent.filter((one, index) => {
    if (one.page === undefined) return true
    const come = sent.slice(0, index + 1).map((other) => other.page)
    return come.includes(1) && (page === 1 || come.includes(2))
  })

type Part = 'bank' | 'end' | 'payer' | 'remittance'
type BookingReport = {
  leavesOut: readonly Part[]
  information: string
  date: string
  status?: string
  came: string
  hasCharge: boolean
}

/** Writes one booking as messages have it. */
function entriesOf(
  {
    notifications,
    statementLeavesOut,
    keeps,
  }: { notifications: { leavesOut: Part[] }[]; statementLeavesOut: Part[]; keeps: Part },
  { reference, bank, end }: { reference: string; bank: string; end: string },
): (report: BookingReport) => CamtEntry {
  const isBare = [{ leavesOut: statementLeavesOut }, ...notifications].some(({ leavesOut }) =>
    leavesOut.includes('remittance'),
  )
  return ({ leavesOut, information: text, date, status = 'BOOK', came, hasCharge }) => {
    const has = (part: Part): boolean => !leavesOut.includes(part) || (isBare && part === keeps)
    return {
      amount: came,
      date,
      status,
      ...(text === '' ? {} : { information: text }),
      ...(has('bank') ? { servicerReference: bank } : {}),
      payments: [
        {
          amount: hasCharge ? '100.00' : came,
          ...(hasCharge ? { charge: '1.00' } : {}),
          ...(has('remittance') ? { remittance: reference } : {}),
          ...(has('end') ? { endToEndId: end } : {}),
          ...(has('payer') ? { payer } : {}),
        },
      ],
    }
  }
}

async function arriving(
  texts: readonly string[],
  cut?: { index: number; percent: number; isGivenUp: boolean },
): Promise<RailEvent[]> {
  const events = []
  for (const [index, text] of texts.entries()) {
    const name = `${next('m')}.xml`
    if (cut && cut.index % texts.length === index) {
      world.outside.drop(name, text.slice(0, Math.ceil((text.length * cut.percent) / 100)))
      if (cut.isGivenUp) world.pass(60_000)
      assert.deepEqual(await world.round(), [])
    }
    world.outside.drop(name, text)
    events.push(...(await world.round()))
  }
  return events
}

/** A booking counts so much as its first message says, what the bank kept of it as a cost, and the bank agrees. */
async function assertCounted(
  finals: RailEvent[],
  { came, isSplit }: { came: bigint; isSplit: boolean },
): Promise<void> {
  assert.deepEqual(
    finals.map(({ amount }) => amount),
    [isSplit ? 10_000n : came],
  )
  assert.deepEqual(
    world.charges.splice(0).map(({ amount }) => amount),
    isSplit ? [100n] : [],
  )
  assert.equal(await bankRail(world.bank).balance('EUR-EUR'), balance)
  // Not every statement here has a number, so numbers are missing.
  const findings = await findingsOf(world.bank)
  assert.deepEqual(
    findings.filter(({ cause }) => cause !== 'lost_statement'),
    [],
  )
}

test('one booking is credited once, however many messages report it and in whatever order they come', async () => {
  await fc.assert(
    fc.asyncProperty(booking, async ({ page: wanted, ...one }) => {
      const page = one.hasTwin ? wanted : undefined
      day += 14 * dayMs
      number += 1
      const [reference, twin] = [nextReference(), nextReference()]
      const [bank, end] = [next('C'), next('INVOICE')]
      const first = (kind: '052' | '054') => one.notifications.find((other) => other.kind === kind)
      const entry = entriesOf(one, { reference, bank, end })
      const { statementLeavesOut: leavesOut, statementInformation: information } = one
      const came = one.chargeIn === 'none' ? 10_000n : 9_900n
      const kept = (where: 'notifications' | 'statement') => ({
        came: euros(came),
        hasCharge: one.chargeIn === where || one.chargeIn === 'all',
      })
      const entries = [entry({ leavesOut, information, date: dayAfter(2), ...kept('statement') })]
      // On a page before the booking, one of just that amount may be what a notification without a reference meant.
      const other = page === 2 && came === 10_000n ? '70.00' : '100.00'
      if (one.hasTwin) entries.push({ amount: other, payments: [{ amount: other, remittance: twin, payer }] })
      const opening = balance
      balance += came + (one.hasTwin ? cents(other) : 0n)
      const balances = { opening: euros(opening), closing: euros(balance) }
      const numbered = one.isNumbered ? { number } : {}
      const statement = () => ({ id: next('S'), date: dayAfter(2), ...balances, entries, ...numbered })
      const messages = [
        // The day of a kind of message is one: banks do not date one booking twice in it.
        ...one.notifications.map(({ kind, isPending, ...own }) => {
          const date = dayAfter((first(kind) ?? own).isEarly ? 0 : 2)
          const entries = [entry({ ...own, date, status: isPending ? 'PDNG' : 'BOOK', ...kept('notifications') })]
          const text = camt({ kind, id: next('N'), date, entries })
          return { text, page: undefined, leavesOut: own.leavesOut, isPending, ...kept('notifications') }
        }),
        ...Array.from({ length: one.statements }, () => pagesOf(statement(), page))
          .flat()
          .map((sending) => ({ ...sending, leavesOut, isPending: false, ...kept('statement') })),
      ]
      const sent = messages
        .map((sending, index) => ({ ...sending, rank: one.order[index] ?? index }))
        .toSorted((a, b) => a.rank - b.rank)
      const events = await arriving(
        sent.map(({ text }) => text),
        one.cut,
      )
      const about = aboutIt(sent, page)
      // What is announced or booked first says whose it is; a booking without a reference waits in suspense, once.
      const said = [about[0], about.find(({ isPending }) => !isPending)]
      const credited = said.some((first) => first && !first.leavesOut.includes('remittance')) ? reference : ''
      const finals = events.filter(({ kind }) => kind === 'deposit_final')
      assert.deepEqual(
        finals.map((event) => event.reference).toSorted(),
        (one.hasTwin ? [credited, twin] : [credited]).toSorted(),
        kindsOf(events).join(),
      )
      await assertCounted(one.hasTwin ? finals.filter(({ reference: own }) => own !== twin) : finals, {
        came,
        isSplit: about[0]?.hasCharge === true,
      })
    }),
    { numRuns: 200, endOnFailure: true },
  )
})

for (const [name, bare] of [
  ['nothing but a text of the bank’s own', undefined],
  ['what the payer wrote cut off', 'RF18 5390'],
] as const) {
  for (const isStatementFirst of [false, true]) {
    const order = isStatementFirst ? 'before' : 'after'
    test(`a statement with ${name} is about the money of a notification, ${order} it`, async () => {
      day += 14 * dayMs
      number += 1
      const [reference, endToEndId] = [nextReference(), next('INVOICE')]
      const own = { amount: '100.00', servicerReference: next('C') }
      const opening = balance
      balance += 10_000n
      const paid = { amount: '100.00', endToEndId, payer }
      const notification = camt({
        kind: '054',
        id: next('N'),
        date: dayAfter(0),
        entries: [{ ...own, payments: [{ ...paid, remittance: reference }] }],
      })
      const payments = [{ ...paid, information: 'Gutschrift', ...(bare === undefined ? {} : { remittance: bare }) }]
      const statement = camt({
        id: next('S'),
        number,
        date: dayAfter(0),
        opening: euros(opening),
        closing: euros(balance),
        entries: [{ ...own, information: 'Überweisung', payments }],
      })
      const events = await arriving(isStatementFirst ? [statement, notification] : [notification, statement])
      assert.deepEqual(
        events.map((event) => [event.kind, event.reference]),
        [['deposit_final', isStatementFirst ? '' : reference]],
      )
      assert.equal(await bankRail(world.bank).balance('EUR-EUR'), balance)
    })
  }
}

test('statements are credited once, whatever order they come in', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      async (order, isNumbered) => {
        day += 14 * dayMs
        const first = number + 1
        number += 5
        const references = order.map(() => nextReference())
        const opening = balance
        balance += 50_000n
        const texts = references.map((reference, index) =>
          camt({
            id: next('S'),
            ...(isNumbered ? { number: first + index } : {}),
            date: dayAfter(index),
            opening: euros(opening + BigInt(index) * 10_000n),
            closing: euros(opening + BigInt(index + 1) * 10_000n),
            entries: [{ amount: '100.00', payments: [{ amount: '100.00', remittance: reference, payer }] }],
          }),
        )
        const events = await arriving(order.map((index) => texts[index] ?? ''))
        assert.deepEqual(events.map((event) => event.reference).toSorted(), references.toSorted())
        assert.equal(await bankRail(world.bank).balance('EUR-EUR'), balance)
      },
    ),
    { numRuns: 30, endOnFailure: true },
  )
})
