import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { readCreate } from '../../src/doors/api/create-body.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { runCommand } from '../support/command.ts'
import { bodyWith, createTexts as texts, goodCreate as good } from '../support/create-texts.ts'
import type { Asking } from '../support/exchange.ts'
import type { Refused } from '../support/journey.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { until } from '../support/telling.ts'
import { everyTable, isIn } from '../support/traces.ts'

const open = ['payout_info.extra_id', 'payout_extra_id']
/** What is read and is no text: an amount, yes or no, and a token of which only the presence is looked at. */
const others = [
  'from_amount',
  'deposit.skip_choose_payment_category',
  'payout_info.skip_choose_payout_address',
  'kyc_shared_token',
]
const objects = ['customer', 'customer.contact_info', 'customer.billing_info', 'payout_info', 'deposit', 'redirects']

/** A number of each issuer whose cards there are, beginning with its digits and ending with the right one. */
const numbers = [
  ['400000', 16],
  ['422222', 13],
  ['510000', 16],
  ['222300', 16],
  ['220011', 16],
  ['371449', 15],
  ['305693', 14],
  ['385200', 14],
  ['353011', 16],
  ['601100', 16],
  ['620000', 19],
  ['675964', 18],
  ['650700', 16],
  ['817199', 16],
  ['979203', 16],
].map(([first, length]) => withCheckDigit(String(first).padEnd(Number(length) - 1, '7305196284')))

const groups = (number: string, between: string) => number.match(/.{1,4}/g)?.join(between) ?? ''
const spellings: ((number: string) => string)[] = [
  (number) => number,
  (number) => groups(number, ' '),
  (number) => groups(number, '-'),
  (number) => groups(number, '\u00a0'),
  (number) => groups(number, ' \u2013 '),
  (number) => `Ann Smith, card ${groups(number, ' ')} 12/39, thanks`,
  (number) => `ref-${number}`,
  (number) => number.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
]

let exchange: ServedExchange
before(async () => {
  exchange = await serveExchange({ LOG_LEVEL: 'trace', RATE_LIMITS: 'off' })
})
after(() => exchange.remove())

const api = <Answered = Refused>(body: object, asking: Asking = {}) =>
  exchange.api<Answered>('/v1/transaction', { body, ...asking })

describe('the list of a create’s texts', () => {
  it('has every field that is read', async () => {
    const read = new Set<string>()
    const spy = (at: string): object =>
      new Proxy(
        {},
        {
          get: (_target, name) => {
            const path = at === '' ? String(name) : `${at}.${String(name)}`
            if (objects.includes(path)) return spy(path)
            read.add(path)
            return undefined
          },
        },
      )
    const features = {
      billing_info: true,
      customer_country: true,
      preset_payout_address: true,
      b2b: true,
      kyc_sharing: false,
    }
    const partner = { settings: { features } } as unknown as Parameters<typeof readCreate>[0]
    readCreate(partner, {
      body: spy('') as never,
      query: {},
      forwardedCustomer: undefined,
      isUnsigned: false,
      allowsLoopback: true,
      now: new Date(0),
    })
    assert.deepEqual([...read].toSorted(), [...texts, ...open, ...others].toSorted())
  })
})

describe('the number of a card, of any issuer, in any spelling', () => {
  it('is refused in every text of a create, with its path, and never repeated', async () => {
    for (const path of texts) {
      await Promise.all(
        numbers.flatMap((number) =>
          spellings.map(async (spell) => {
            const { status, body } = await api(bodyWith(path, spell(number)))
            assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], `${path}: ${spell(number)}`)
            assert.ok(path.endsWith(body.errors[0]?.path ?? '-'), `${path} is told as ${body.errors[0]?.path}`)
            // The request's own id is drawn by chance, and has any four digits in it now and then.
            const said = JSON.stringify({ ...body, request_id: '' })
            assert.ok(!said.includes(number.slice(-4)), `${path} repeats it`)
          }),
        ),
      )
    }
  })

  it('is found in an address of the web that spells it with escapes', async () => {
    for (const spelled of ['4242%204242%204242%204242', '4242+4242+4242+4242', '%34242424242424242']) {
      assert.equal((await api(bodyWith('redirects.failed', spelled))).status, 400, spelled)
    }
  })

  it('is no reason to refuse an address of a chain that happens to have such digits, or a memo', async () => {
    const address = '0x4242424242424242aaaaaaaaaaaaaaaaaaaaaaaa'
    assert.equal((await api<TransactionRecord>(bodyWith('payout_address', address))).status, 201)
    assert.equal((await api(bodyWith('payout_address', `${address} `))).status, 400)
    for (const path of open) assert.equal((await api(bodyWith(path, numbers[0] ?? ''))).status, 201, path)
  })

  it('is in no table and in no log', async () => {
    const { out } = await runCommand(['db', 'url'], exchange.env)
    const tables = await everyTable(out.trim())
    assert.ok(tables.size > 25)
    for (const [name, dump] of tables) {
      for (const number of numbers) {
        for (const spell of spellings) assert.ok(!isIn(dump, spell(number)), `${name} holds ${spell(number)}`)
      }
    }
    const base = `/v1/sandbox/transaction/${(await api<TransactionRecord>(good)).body.id}`
    for (const step of ['checkout', 'deposit']) await exchange.api(`${base}/${step}`, { body: {} })
    await exchange.api(`${base}/rail-event`, { body: { type: 'unknown_word' } })
    await until(() => exchange.output().includes('"level":'), 'something to be logged')
    await exchange.kill('SIGTERM')
    for (const number of numbers) {
      for (const spell of spellings) assert.ok(!exchange.output().includes(spell(number)))
    }
  })
})

/** The first digits with the check digit of ISO/IEC 7812-1 behind them. */
function withCheckDigit(first: string): string {
  const sum = [...first].toReversed().reduce((total, digit, place) => {
    const doubled = place % 2 === 0 ? Number(digit) * 2 : Number(digit)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${first}${(10 - (sum % 10)) % 10}`
}
