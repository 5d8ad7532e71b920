import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { kindsOf, nextReference } from '../../../test/support/bank-session.ts'
import {
  centsOf,
  type BankShape,
  movedBy,
  type ShapedBooking,
  textOf,
} from '../../../test/support/bank-shapes/shape.ts'
import { bankShapes } from '../../../test/support/bank-shapes/shapes.ts'
import { zipOf } from '../../../test/support/bank-shapes/zip.ts'
import { type BankWorld, openBankWorld } from '../../../test/support/bank-world.ts'
import { camt, ourIban } from '../../../test/support/camt.ts'
import type { RailEvent } from '../rail.ts'
import { listBankFiles } from './files.ts'
import { findingsOf } from './findings.ts'
import { bankRail } from './rails.ts'
import type { AccountEntry } from './settings.ts'

const accountAt = ({ account, bic }: Pick<BankShape, 'account' | 'bic'>): AccountEntry => ({
  currency: 'EUR',
  ...account,
  bic,
  holder: 'Example Ltd',
})

async function withBank(accounts: AccountEntry[], work: (world: BankWorld) => Promise<void>): Promise<void> {
  const world = await openBankWorld({ accounts })
  try {
    await work(world)
  } finally {
    await world.close()
  }
}

const heldAt = ({ bank }: BankWorld): Promise<bigint> => bankRail(bank).balance('EUR-EUR')
const whys = async ({ ctx }: BankWorld): Promise<string[]> => (await listBankFiles(ctx.db)).map(({ why }) => why)

/** A day of a firm: an order is paid in full, another one less what the bank keeps, somebody sends money by mistake; and the firm pays. */
const dayOf = (name: string, day: number, [one = '', other = '']: string[]): ShapedBooking[] => [
  {
    amount: '250.00',
    bankReference: `${name}${day}001`,
    text: one,
    endToEndId: `INV-${day}-1`,
    party: { name: 'Zoë Lecka-Müller', account: 'DE89370400440532013000' },
  },
  {
    amount: '100.00',
    bankReference: `${name}${day}002`,
    text: other,
    party: { name: 'Jurgis Pavyzdys', account: 'LT121000011101001000' },
    ...(['postfinance', 'centrolink'].includes(name) ? { kept: '1.20' } : {}),
  },
  {
    amount: '17.35',
    bankReference: `${name}${day}003`,
    text: name === 'nordea' ? '' : 'A present for grandmother',
    party: { name: 'Somebody Else', account: 'FR1420041010050500013M02606' },
  },
  {
    amount: '49.99',
    debit: true,
    bankReference: `${name}${day}004`,
    text: 'Phone 4711',
    endToEndId: `PHONE-${day}`,
    party: { name: 'Fernmelde AG', account: 'DE75512108001245126199' },
  },
  { amount: '3.50', debit: true, bankReference: `${name}${day}005`, isCharge: true },
]

describe('the files of a bank in the shape of', () => {
  for (const [name, shape] of Object.entries<BankShape>(bankShapes))
    it(`${name} are read to the cent, over two days and a new year, and again when they are sent again`, () =>
      withBank([accountAt(shape)], async (world) => {
        let balance = 500_000n
        const events: RailEvent[] = []
        const sent: { name: string; content: Buffer }[] = []
        const references: string[] = []
        const days = [
          ['2026-12-30', 249],
          ['2026-12-31', 250],
          ['2027-01-04', 1],
        ] as const
        for (const [date, number] of days) {
          const own = [nextReference(), nextReference()]
          references.push(...own)
          const bookings = dayOf(name, number, own)
          const opening = balance
          for (const one of bookings) balance += movedBy(one)
          for (const file of shape.files({
            number,
            date,
            opening: textOf(opening),
            closing: textOf(balance),
            bookings,
          })) {
            sent.push(file)
            world.outside.drop(file.name, file.content)
            events.push(...(await world.round()))
          }
        }
        assert.deepEqual(new Set(await whys(world)), new Set(['']))
        assert.equal(await heldAt(world), balance)
        assert.deepEqual(
          kindsOf(events),
          Array.from({ length: 9 }, () => 'deposit_final'),
        )
        assert.deepEqual(
          events.filter(({ reference }) => reference !== '').map((one) => one.reference),
          references,
        )
        const amounts = dayOf(name, 1, [])
          .filter(({ debit }) => !debit)
          .map(({ amount }) => centsOf(amount))
        assert.deepEqual(
          events.map(({ amount }) => amount),
          days.flatMap(() => amounts),
          'what the payers sent, charges apart',
        )
        const payment = events[0]?.payment ?? ''
        const payer = await bankRail(world.bank).deposit?.payer?.(world.ctx.db, payment)
        assert.deepEqual([payer?.account, payer?.name.startsWith('Zo')], ['DE89370400440532013000', true])
        // What has no order is a debit to a person, or a charge of the bank that its code does not name.
        const debits = (await bankRail(world.bank).unexplained?.(world.ctx.db, 100)) ?? []
        const charged = world.charges.reduce((sum, { amount }) => sum + amount, 0n)
        const left = debits.reduce((sum, { amount }) => sum + amount, 0n)
        const kept = ['postfinance', 'centrolink'].includes(name) ? 120n : 0n
        assert.equal(charged + left, 3n * (4_999n + 350n + kept))
        assert.equal(charged, name === 'wise' ? 0n : 3n * (350n + kept))
        assert.deepEqual(await findingsOf(world.bank), [])

        for (const file of sent) {
          world.outside.drop(
            `again-${file.name}`,
            Buffer.concat([file.content, Buffer.from(file.name.endsWith('zip') ? '' : '\n')]),
          )
          assert.deepEqual(await world.round(), [])
        }
        assert.equal(await heldAt(world), balance)
      }))
})

const operating: AccountEntry = { currency: 'EUR', iban: ourIban, bic: 'BYLADEM1001', holder: 'Example Ltd' }
const safeguarding: AccountEntry = { ...operating, other: '11111111' }
delete safeguarding.iban

describe('the files of a bank', () => {
  it('have safeguarding and operating accounts of one currency in one file, each with its own chain', () =>
    withBank([operating, safeguarding], async (world) => {
      const reference = nextReference()
      const payer = { name: 'Erika Mustermann', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
      const own = camt({
        id: 'A',
        number: 7,
        opening: '50.00',
        closing: '10.00',
        entries: [{ amount: '40.00', debit: true, payments: [{ amount: '40.00', payee: { name: 'Rent' } }] }],
      })
      const theirs = camt({
        id: 'B',
        number: 31,
        opening: '900.00',
        closing: '1000.00',
        entries: [{ amount: '100.00', payments: [{ remittance: reference, amount: '100.00', payer }] }],
      })
      const statement =
        /<Stmt>.*<\/Stmt>/s.exec(theirs)?.[0].replace(/<IBAN>DE02\d+<\/IBAN>/, '<Othr><Id>11111111</Id></Othr>') ?? ''
      const text = own.replace('</Stmt>', `</Stmt>${statement}`)
      world.outside.drop('both.xml', text)
      assert.deepEqual(
        (await world.round()).map((one) => [one.kind, one.reference, one.amount]),
        [['deposit_final', reference, 10_000n]],
      )
      assert.equal(await heldAt(world), 101_000n)
      const next = camt({ id: 'C', number: 8, opening: '10.00', closing: '10.00', date: '2026-03-03', entries: [] })
      world.outside.drop('archive.zip', zipOf('own.xml', Buffer.from(next)))
      assert.deepEqual(await world.round(), [])
      assert.deepEqual(
        [await heldAt(world), await findingsOf(world.bank), new Set(await whys(world))],
        [101_000n, [], new Set([''])],
      )
    }))
})
