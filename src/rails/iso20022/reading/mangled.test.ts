import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'

import fc from 'fast-check'

import { nextReference, paid } from '../../../../test/support/bank-session.ts'
import { camt, ourIban } from '../../../../test/support/camt.ts'
import { assetOf } from '../../../reference/catalog/asset.ts'
import { FileFault } from '../file-fault.ts'
import { readMessage } from './bank-message.ts'
import { type CheckedStatement, interpret } from './interpret.ts'

const asset = assetOf('EUR') ?? assert.fail()
const account = { asset, iban: ourIban, other: '', bic: 'BYLADEM1001', holder: 'Example Ltd', bank: 'Example Bank' }

const references = [nextReference(), nextReference(), nextReference()]
const statement = camt({
  id: 'STMT-1',
  number: 1,
  opening: '1000.00',
  closing: '1283.45',
  entries: [
    paid(references[0] ?? '', { servicerReference: 'C-1' }),
    paid(references[1] ?? '', { servicerReference: 'C-2' }),
    paid(references[2] ?? '', { amount: '123.45', payments: [{ remittance: references[2] ?? '', amount: '123.45' }] }),
    {
      amount: '40.00',
      debit: true,
      servicerReference: 'D-1',
      payments: [{ endToEndId: 'CB-1-00000000', amount: '40.00' }],
    },
  ],
})

async function interpreted(bytes: Buffer): Promise<CheckedStatement[]> {
  const message = await readMessage(() => Readable.from([bytes]))
  return 'statements' in message ? message.statements.map((one) => interpret(account, one)) : []
}

/** What a slip of a disk, a line or a program does to bytes. */
const damage = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.integer({ min: 0, max: 255 }),
  }),
  fc.record({
    kind: fc.constant('digit' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.integer({ min: 48, max: 57 }),
  }),
  fc.record({
    kind: fc.constant('remove' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.integer({ min: 1, max: 200 }),
  }),
  fc.record({
    kind: fc.constant('repeat' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.integer({ min: 1, max: 1_000 }),
  }),
  fc.record({
    kind: fc.constant('cut' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.constant(0),
  }),
)

function damaged(whole: Buffer, { kind, at, byte }: { kind: string; at: number; byte: number }): Buffer {
  const place = Math.min(whole.length - 1, Math.floor(at * whole.length))
  switch (kind) {
    case 'change':
      return Buffer.concat([whole.subarray(0, place), Buffer.from([byte]), whole.subarray(place + 1)])
    case 'digit': {
      // The next digit: amounts, dates and references are what counts.
      const digit = whole.findIndex((one, index) => index >= place && one >= 48 && one <= 57)
      if (digit === -1) return whole
      return Buffer.concat([whole.subarray(0, digit), Buffer.from([byte]), whole.subarray(digit + 1)])
    }
    case 'remove':
      return Buffer.concat([whole.subarray(0, place), whole.subarray(place + byte)])
    case 'repeat':
      return Buffer.concat([whole.subarray(0, place + byte), whole.subarray(place)])
    default:
      return whole.subarray(0, place)
  }
}

const creditsOf = (statements: CheckedStatement[]): { amount: bigint; reference: string }[] =>
  statements
    .flatMap(({ bookings }) => bookings)
    .filter(({ direction, isPending }) => direction === 'in' && !isPending)
    .map(({ amount, reference }) => ({ amount, reference }))

test('a statement that was damaged is refused, or credits what the whole one credits, at most without a reference', async () => {
  const whole = Buffer.from(statement)
  const credits = creditsOf(await interpreted(whole))
  assert.deepEqual(
    credits.map(({ amount }) => amount),
    [10_000n, 10_000n, 12_345n],
  )
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 2 }), async (damages) => {
      const bytes = damages.reduce(damaged, whole)
      try {
        const found = creditsOf(await interpreted(bytes))
        const sum = (all: { amount: bigint }[]): bigint => all.reduce((total, { amount }) => total + amount, 0n)
        if (found.length === 0) return
        assert.equal(sum(found), sum(credits))
        for (const one of found) {
          const same = credits.some(
            (credit) => credit.amount === one.amount && ['', credit.reference].includes(one.reference),
          )
          assert(same, 'no reference gets the money of another')
        }
      } catch (error) {
        if (!(error instanceof FileFault)) throw error
      }
    }),
    { numRuns: 1_000 },
  )
})
