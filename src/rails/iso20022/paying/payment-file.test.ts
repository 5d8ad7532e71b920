import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { anyCodePoint } from '../../../../test/support/any-code-point.ts'
import { ordersOf } from '../../../../test/support/folder-bank.ts'
import { ourIban } from '../../../../test/support/camt.ts'
import { assetOf } from '../../../reference/catalog/asset.ts'
import type { Bank, OwnAccount } from '../bank.ts'
import { toPlainCharacters } from './characters.ts'
import type { PaymentOrder } from './order.ts'
import { writePaymentFile } from './payment-file.ts'
import { validatePaymentFile } from './validate.ts'

const account = (currency: string, iban: string, bic: string): OwnAccount => ({
  asset: assetOf(currency) ?? assert.fail(currency),
  iban,
  other: '',
  bic,
  holder: 'Exämple & Söhne',
  bank: 'Example Bank',
})
const bank = {
  name: 'bank-1',
  instant: true,
  schemaFolder: undefined,
  accounts: [
    account('EUR', ourIban, 'BYLADEM1001'),
    account('GBP', 'GB29NWBK60161331926819', 'NWBKGB2L'),
    account('JPY', 'DE89370400440532013000', 'COBADEFFXXX'),
  ],
} as unknown as Bank

const order = (change: Partial<PaymentOrder>): PaymentOrder => ({
  key: 'CB-1-AAAA0001',
  asset: 'EUR-EUR',
  amount: 150n,
  category: 'SEPA',
  account: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  intermediary: '',
  holder: 'Erika Mustermann',
  ...change,
})
const at = new Date('2026-11-23T10:00:00.123Z')

test('names are written in the characters that every bank takes', () => {
  const cases = [
    ['Jürgen Müßig & Søren', 'Jurgen Mussig + Soren'],
    ['Łukasz Žižek', 'Lukasz Zizek'],
    ['Γιώργος Παπαδόπουλος', 'Giorgos Papadopoylos'],
    ['Иван Щукин', 'Ivan SHTukin'],
    ['O’Brien “Ltd” <x>', "O'Brien 'Ltd' (x)"],
    ['//a//b/', 'a/b'],
    ['東京', '..'],
  ] as const
  for (const [text, plain] of cases) assert.equal(toPlainCharacters(text, 70), plain)
})

test('any text becomes one that every bank takes, and no longer than it may be', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCodePoint, maxLength: 200 }),
      fc.integer({ min: 1, max: 140 }),
      (text, longest) => {
        const plain = toPlainCharacters(text, longest)
        assert.match(plain, /^[A-Za-z0-9/\-?:().,'+ ]*$/)
        assert(plain.length <= longest && !plain.includes('//') && !/^\/|\/$/.test(plain))
      },
    ),
  )
})

test('the same orders are the same file, in whatever order they come', () => {
  const orders = [order({}), order({ key: 'CB-2-AAAA0002' })]
  const [one, other] = [writePaymentFile(bank, orders, at), writePaymentFile(bank, orders.toReversed(), at)]
  assert.equal(one.name, other.name)
  assert.notEqual(writePaymentFile(bank, orders.slice(1), at).name, one.name)
})

test('there is one part for each account and category, and instant payments say so', () => {
  const file = writePaymentFile(
    bank,
    [
      order({}),
      order({ key: 'CB-2-AAAA0002', category: 'SWIFT', account: '1234567', intermediary: 'CITIUS33XXX' }),
      order({ key: 'CB-3-AAAA0003', asset: 'GBP-GBP', category: 'FASTERPAYMENTS', account: '20000055779911', bic: '' }),
      order({ key: 'CB-4-AAAA0004', asset: 'JPY-JPY', amount: 5_000n, category: 'SWIFT', account: '1234567' }),
    ],
    at,
  )
  const text = file.bytes.toString()
  assert.equal(new Set(file.parts.map(({ part }) => part)).size, 4)
  assert.equal(text.match(/<LclInstrm>/g)?.length, 1)
  assert.match(text, /<InstdAmt Ccy="JPY">5000<\/InstdAmt>/)
  assert.match(text, /<MmbId>200000<\/MmbId>/)
  assert.match(text, /<Id>55779911<\/Id>/)
  assert.match(text, /<CtrlSum>5004\.50<\/CtrlSum>/)
})

test('every file fits its schema, and its counts and sums are right, whatever is paid to whom', async () => {
  const anyOrder = fc.record({
    amount: fc.bigInt({ min: 1n, max: 10n ** 13n }),
    holder: fc.string({ unit: anyCodePoint, maxLength: 100 }),
    bic: fc.constantFrom('', 'COBADEFFXXX', 'BYLADEM1'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(anyOrder, { minLength: 1, maxLength: 20 }), async (changes) => {
      const orders = changes.map((change, index) => order({ ...change, key: `CB-${index}-AAAA0001` }))
      const file = writePaymentFile(bank, orders, at)
      await validatePaymentFile(bank, file)
      const text = file.bytes.toString()
      const total = orders.reduce((sum, { amount }) => sum + amount, 0n)
      const digits = total.toString().padStart(3, '0')
      const sum = `${digits.slice(0, -2)}.${digits.slice(-2)}`
      assert.deepEqual(
        [...text.matchAll(/<CtrlSum>([^<]+)</g)].map(([, one]) => one),
        [sum, sum],
      )
      assert.deepEqual(
        [...text.matchAll(/<NbOfTxs>([^<]+)</g)].map(([, one]) => one),
        [`${orders.length}`, `${orders.length}`],
      )
      assert.deepEqual(
        ordersOf(file.name, text).map(({ endToEndId, amount }) => [endToEndId, amount]),
        orders.map(({ key, amount }) => [key, amount]),
      )
    }),
    { numRuns: 20 },
  )
})

test('a file that does not fit is refused, and its content is not repeated', async () => {
  const { bytes } = writePaymentFile(bank, [order({})], at)
  const wrong = Buffer.from(bytes.toString().replace('<IBAN>DE89', '<IBAN>de89'))
  await assert.rejects(validatePaymentFile(bank, { bytes: wrong }), (error: Error) => {
    assert.match(error.message, /does not fit its schema/)
    assert.doesNotMatch(error.message, /Erika|370400/)
    return true
  })
})
