import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { next, nextReference, payer } from '../../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../../test/support/bank-world.ts'
import { camt, type CamtEntry } from '../../../../test/support/camt.ts'
import { euros } from '../../../../test/support/folder-bank.ts'
import { findingsOf } from '../findings.ts'
import { bankRail } from '../rails.ts'

let world: BankWorld
let number = 0
let balance = 0n

before(async () => {
  world = await openBankWorld()
  const first = { id: 'S', number: (number += 1), date: '2026-01-05', opening: '0.00', closing: '0.00', entries: [] }
  world.outside.drop('first.xml', camt(first))
  await world.round()
})
after(() => world.close())

const permutations = <One>(all: readonly One[]): One[][] =>
  all.length < 2
    ? [[...all]]
    : all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]))

const messages = ['052', '054', '053 part', '053'] as const
type Message = (typeof messages)[number]

/** What the messages say of one booking, apart from our reference. */
type Shape = Partial<Record<'bank' | 'end' | 'payer' | 'early' | 'charge', readonly Message[]>>
const shapes: [name: string, shape: Shape][] = [
  ['that all messages describe alike', { bank: messages, end: messages, payer: messages }],
  ['that only statements give a reference of the bank', { bank: ['053 part', '053'], end: messages, payer: messages }],
  ['without an end-to-end id in notifications', { bank: messages, end: ['053 part', '053'], payer: messages }],
  ['of nothing but our reference', {}],
  ['notified on Saturday and stated on Monday', { bank: messages, end: messages, early: ['052', '054'] }],
]
/** Which messages say that the bank kept a charge of it. The others have what came, as if nothing else had been sent. */
const statements = ['053 part', '053'] as const
const notices = ['052', '054'] as const
const charges: [name: string, stated: readonly Message[] | undefined][] = [
  ['without a charge', undefined],
  ['whose charge only the statement has', statements],
  ['whose charge only notifications have', notices],
  ['whose charge every message has', messages],
]

const dateOf = (days: number): string =>
  new Date(Date.parse('2026-01-05') + days * 86_400_000).toISOString().slice(0, 10)

/** Our booking is on the first page of its statement, another one on the last. */
function textsOf(shape: Shape, { reference, other }: { reference: string; other: string }): Record<Message, string> {
  number += 1
  const came = shape.charge ? 9_900n : 10_000n
  const isSplit = (message: Message): boolean => shape.charge?.includes(message) === true
  const [bank, end] = [next('C'), next('INVOICE')]
  const entryIn = (message: Message): CamtEntry => ({
    amount: euros(came),
    date: dateOf(number * 14 - (shape.early?.includes(message) ? 2 : 0)),
    ...(shape.bank?.includes(message) ? { servicerReference: bank } : {}),
    payments: [
      {
        amount: isSplit(message) ? '100.00' : euros(came),
        ...(isSplit(message) ? { charge: '1.00' } : {}),
        remittance: reference,
        ...(shape.end?.includes(message) ? { endToEndId: end } : {}),
        ...(shape.payer?.includes(message) ? { payer } : {}),
      },
    ],
  })
  const page = (index: number, entry: CamtEntry): string =>
    camt({
      id: next('S'),
      number,
      date: dateOf(number * 14),
      opening: euros(balance + (index === 0 ? 0n : came)),
      closing: euros(balance + came + (index === 0 ? 0n : 10_000n)),
      entries: [entry],
      extra: `<StmtPgntn><PgNb>${index + 1}</PgNb><LastPgInd>${index === 1}</LastPgInd></StmtPgntn>`,
    })
  const notified = (kind: '052' | '054'): string => {
    const entry = entryIn(kind)
    return camt({ kind, id: next('N'), date: entry.date ?? '', entries: [entry] })
  }
  const texts = {
    '052': notified('052'),
    '054': notified('054'),
    '053 part': page(0, entryIn('053 part')),
    '053': page(1, { amount: '100.00', payments: [{ amount: '100.00', remittance: other }] }),
  }
  balance += came + 10_000n
  return texts
}

for (const [index, [name, shape]] of shapes.entries())
  for (const [kept, charge] of charges.filter(([, stated]) => index === 0 || stated !== notices))
    test(`a booking ${name}, ${kept}, is credited once, in every order of four messages`, async () => {
      // With a charge, the page about another booking comes last: it has no part in that.
      const orders = permutations(messages).filter((order) => !charge || order.at(-1) === '053')
      assert.equal(orders.length, charge ? 6 : 24)
      for (const order of orders) {
        const [reference, other] = [nextReference(), nextReference()]
        const texts = textsOf(charge ? { ...shape, charge } : shape, { reference, other })
        const events = []
        for (const message of order) {
          world.outside.drop(`${next('m')}.xml`, texts[message])
          events.push(...(await world.round()))
        }
        // Whichever message comes first says how much: what was sent, and a cost of ours, or what came.
        const first = order.find((message) => message !== '053')
        const isSplit = first !== undefined && charge?.includes(first) === true
        const amount = charge && !isSplit ? 9_900n : 10_000n
        assert.deepEqual(
          events.map((event) => `${event.kind} ${event.reference} ${event.amount}`).toSorted(),
          [`deposit_final ${reference} ${amount}`, `deposit_final ${other} 10000`].toSorted(),
          order.join(),
        )
        const costs = world.charges.splice(0).map((one) => one.amount)
        assert.deepEqual(costs, isSplit ? [100n] : [], order.join())
        assert.equal(await bankRail(world.bank).balance('EUR-EUR'), balance, order.join())
        assert.deepEqual(await findingsOf(world.bank), [], order.join())
      }
    })
