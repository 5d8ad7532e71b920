import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import fc from 'fast-check'

import { kindsOf, next, nextReference, payer } from '../../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../../test/support/bank-world.ts'
import { camt, type CamtEntry, type CamtStatement } from '../../../../test/support/camt.ts'
import { euros } from '../../../../test/support/folder-bank.ts'
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
  order: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 8, maxLength: 8 }),
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

async function arriving(texts: readonly string[]): Promise<RailEvent[]> {
  const events = []
  for (const text of texts) {
    world.outside.drop(`${next('m')}.xml`, text)
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
    fc.asyncProperty(booking, async (one) => {
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
      if (one.hasTwin) entries.push({ amount: '100.00', payments: [{ amount: '100.00', remittance: twin, payer }] })
      const opening = balance
      balance += came + (one.hasTwin ? 10_000n : 0n)
      const balances = { opening: euros(opening), closing: euros(balance) }
      const numbered = one.isNumbered ? { number } : {}
      const statement = (): CamtStatement => ({ id: next('S'), date: dayAfter(2), ...balances, entries, ...numbered })
      const messages = [
        // The day of a kind of message is one: banks do not date one booking twice in it.
        ...one.notifications.map(({ kind, isPending, ...own }) => {
          const date = dayAfter((first(kind) ?? own).isEarly ? 0 : 2)
          const entries = [entry({ ...own, date, status: isPending ? 'PDNG' : 'BOOK', ...kept('notifications') })]
          const text = camt({ kind, id: next('N'), date, entries })
          return { text, leavesOut: own.leavesOut, isPending, ...kept('notifications') }
        }),
        ...Array.from({ length: one.statements }, () => ({
          text: camt(statement()),
          leavesOut,
          isPending: false,
          ...kept('statement'),
        })),
      ]
      const sent = messages
        .map((sending, index) => ({ ...sending, rank: one.order[index] ?? index }))
        .toSorted((a, b) => a.rank - b.rank)
      const events = await arriving(sent.map(({ text }) => text))
      // What is announced or booked first says whose it is; a booking without a reference waits in suspense, once.
      const said = [sent[0], sent.find(({ isPending }) => !isPending)]
      const credited = said.some((first) => first && !first.leavesOut.includes('remittance')) ? reference : ''
      const finals = events.filter(({ kind }) => kind === 'deposit_final')
      assert.deepEqual(
        finals.map((event) => event.reference).toSorted(),
        (one.hasTwin ? [credited, twin] : [credited]).toSorted(),
        kindsOf(events).join(),
      )
      await assertCounted(one.hasTwin ? finals.filter(({ reference: own }) => own !== twin) : finals, {
        came,
        isSplit: sent[0]?.hasCharge === true,
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

/** A payer whose account a message leaves out, as banks do. */
const named = '<RltdPties><Dbtr><Pty><Nm>Anna Example</Nm></Pty></Dbtr></RltdPties>'

test('two messages with different references of the bank that agree in ours credit once, the other waits', async () => {
  for (const kinds of [
    ['054', '053'],
    ['053', '054'],
    ['052', '053'],
    ['052', '054'],
  ] as const) {
    day += 14 * dayMs
    const reference = nextReference()
    const events = []
    for (const kind of kinds) {
      const text = camt({
        kind,
        id: next('N'),
        date: dayAfter(0),
        ...(kind === '053'
          ? { opening: euros(balance), closing: euros(balance + 10_000n), number: (number += 1) }
          : {}),
        entries: [
          {
            amount: '100.00',
            servicerReference: next('C'),
            payments: [{ amount: '100.00', remittance: reference }],
          },
        ],
      })
      if (kind === '053') balance += 10_000n
      world.outside.drop(`${next('m')}.xml`, text.replace('<RmtInf>', `${named}<RmtInf>`))
      events.push(...(await world.round()))
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
