import assert from 'node:assert/strict'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { holdsCardNumber } from './card-number.ts'

test('the number of a payment card is found in a text, and other numbers are not', () => {
  const rows = table(`
    text                                     card
    4242424242424242                         yes
    4242 4242 4242 4242                      yes
    4242-4242-4242-4242                      yes
    4242 - 4242 - 4242 - 4242                yes
    5555555555554444                         yes
    2223003122003222                         yes
    378282246310005                          yes
    3782 822463 10005                        yes
    6011111111111117                         yes
    30569309025904                           yes
    3530111333300000                         yes
    6200000000000005                         yes
    4222222222222                            yes
    6304000000000000                         yes
    card 4242424242424242 please             yes
    card4242424242424242now                  no
    card:4242424242424242, now               yes
    4242 42424242 4242                       yes
    3056 930902 5904                         yes
    6759 6498 2643 8453                      yes
    4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2          no
    42424 24242 42424 2                      no
    30-56-93 09025904                        no
    42424242424242424                        no
    DE89 4242 4242 4242 4242 00              no
    order-4242424242424242                   yes
    ref 12 4242 4242 4242 4242               yes
    https://x.example/4242424242424242?a=1   yes
    4242424242424242@example.com             yes
    4242424242424241                         no
    1234567812345670                         no
    424242424242                             no
    424242424242 1                           no
    42424242424242424242424242               no
    4242.4242.4242.4242                      no
    2026-09-25                               no
    ORD-2026-000123                          no
    0000000000000000                         no
    ４２４２４２４２４２４２４２４２                         yes
    ''                                       no
  `)
  for (const { text = '', card } of rows) assert.equal(holdsCardNumber(text), card === 'yes', text)
})

test('no identifier is taken for a card', () => {
  const digits = '0123456789'
  const draw = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const kinds: Record<string, () => string> = {
    uuid: randomUUID,
    'uuid of digits': () => [8, 4, 4, 4, 12].map((length) => draw(digits, length)).join('-'),
    'uuid in a text': () => `order ref_${randomUUID().toUpperCase()} of today`,
    ulid: () => draw(crockford, 26),
    hash: () => randomBytes(32).toString('hex'),
    'short hash': () => randomBytes(20).toString('hex'),
    ethereum: () => `0x${randomBytes(20).toString('hex')}`,
    'ethereum, in groups': () => `0x${randomBytes(20).toString('hex')}`.match(/.{1,4}/g)?.join(' ') ?? '',
    'ethereum, in part': () => `0x${randomBytes(20).toString('hex')}`.slice(0, 20 + randomInt(22)),
    bitcoin: () => `1${draw(base58, 33)}`,
    ton: () => `EQ${randomBytes(34).toString('base64url')}`,
    id: () => `${draw(base58, 12)}-${draw(base58, 12)}`,
  }
  const count = process.env.CARD_IDENTIFIERS === undefined ? 5_000 : Number(process.env.CARD_IDENTIFIERS)
  for (const [name, make] of Object.entries(kinds)) {
    for (let made = 0; made < count; made += 1) {
      const text = make()
      assert.equal(holdsCardNumber(text), false, `${name}: ${text}`)
    }
  }
})

/** Numbers of each issuer, by how they begin and how long they are. */
const kinds = [
  ['4', 16],
  ['4', 13],
  ['4', 19],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['2720', 16],
  ['2203', 16],
  ['34', 15],
  ['37', 15],
  ['300', 14],
  ['36', 14],
  ['38', 14],
  ['3528', 16],
  ['3589', 16],
  ['6011', 16],
  ['65', 16],
  ['644', 16],
  ['62', 16],
  ['62', 19],
  ['6759', 18],
  ['6304', 13],
  ['5018', 17],
  ['5066', 16],
  ['60', 16],
  ['6362', 16],
  ['8171', 16],
  ['9792', 16],
  ['9704', 16],
  ['8600', 16],
] as const

/** How people and forms write the number of a card. */
const spellings: readonly ((number: string) => string)[] = [
  (number) => number,
  ...[' ', '-', '\u00a0', '\u2013', ' - ', '  '].map(
    (between) => (number: string) =>
      (number.length === 15 || number.length === 14
        ? [number.slice(0, 4), number.slice(4, 10), number.slice(10)]
        : (number.match(/.{1,4}/g) ?? [])
      ).join(between),
  ),
  (number) => `my card: ${number}, thanks`,
  (number) => `${number.slice(0, 8)} ${number.slice(8)}`,
  (number) => `card ${number} 12/39 123`,
  (number) => `${number}@example.com`,
  (number) => `order-${number}`,
]

test('every card of an issuer is found, as people type them', () => {
  let typed = 0
  for (let round = 0; typed < 10_000; round += 1) {
    for (const [first, length] of kinds) {
      const body = [...first, ...Array.from({ length: length - 1 - first.length }, () => String(randomInt(10)))]
      const number = withCheckDigit(body.map(Number)).join('')
      const spell = spellings[(typed + round) % spellings.length] ?? assert.fail()
      assert.equal(holdsCardNumber(spell(number)), true, spell(number))
      typed += 1
    }
  }
})

test('no text takes long to look through', () => {
  const nasty = [
    '1 '.repeat(20_000),
    '4'.repeat(40_000),
    'a-'.repeat(20_000),
    `1${' '.repeat(40_000)}`,
    '1-a'.repeat(13_000),
  ]
  for (const text of nasty) {
    // Processor time: what else runs on the machine does not count.
    const start = process.cpuUsage()
    holdsCardNumber(text)
    const { user, system } = process.cpuUsage(start)
    assert.ok(user + system < 500_000, text.slice(0, 20))
  }
})

function withCheckDigit(digits: number[]): number[] {
  const sum = digits.toReversed().reduce((total, digit, place) => {
    const doubled = place % 2 === 0 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return [...digits, (10 - (sum % 10)) % 10]
}
