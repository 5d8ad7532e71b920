import assert from 'node:assert/strict'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { test } from 'node:test'

import { generateMnemonic } from '@scure/bip39'
import { wordlist as czech } from '@scure/bip39/wordlists/czech'
import { wordlist as english } from '@scure/bip39/wordlists/english'
import { wordlist as french } from '@scure/bip39/wordlists/french'
import { wordlist as italian } from '@scure/bip39/wordlists/italian'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese'
import { wordlist as korean } from '@scure/bip39/wordlists/korean'
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese'
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish'
import { wordlist as traditionalChinese } from '@scure/bip39/wordlists/traditional-chinese'

import { networks } from '../catalog/network.ts'
import { makeSandboxAddress } from './address.ts'
import { secretKeys as keys, secretSpellings as spellings } from '../../../test/support/secret-samples.ts'
import { secretIn } from './secret-text.ts'

const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const lists = {
  czech,
  english,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
}

test('private keys of every family are known in every field, however they are spaced, and inside a link', () => {
  for (const [name, key] of Object.entries(keys))
    for (const spell of spellings)
      for (const place of ['destination', 'text', 'identifier'] as const) {
        // Among identifiers, 64 hexadecimal digits are a hash.
        const isHash = place === 'identifier' && /^(?:0x)?[\da-f]{64}$/i.test(key)
        assert.equal(secretIn(spell(key), place) === undefined, isHash, `${place}, ${name}: ${spell(key)}`)
      }
})

test('a key with a typo is known by its shape', () => {
  for (const key of [
    keys['Bitcoin, compressed'],
    keys['Bitcoin, uncompressed'],
    keys.xprv,
    keys.Stellar,
    keys['XRP Ledger'],
    keys.Dogecoin,
  ])
    for (const at of [8, 15, 25]) {
      const other = key[at] === 'A' ? 'B' : 'A'
      const typed = key.slice(0, at) + other + key.slice(at + 1)
      for (const place of ['destination', 'text'] as const) assert.equal(secretIn(typed, place), 'private_key', typed)
    }
})

test('recovery phrases are known in all ten languages, with typos, a word missing and odd spaces, in every field', () => {
  for (const [name, list] of Object.entries(lists)) {
    for (const strength of [128, 160, 192, 224, 256]) {
      const words = generateMnemonic(list, strength).split(/\s/u)
      const slip = randomInt(words.length)
      const swapped = words.map((word, at) =>
        at === slip && word.length > 3 ? word.slice(0, 1) + word.slice(2) : word,
      )
      for (const text of [
        words.join(' '),
        words.join('\u3000'),
        words.join('  \n\t'),
        words.join(', '),
        words.map((word) => word.toUpperCase()).join(' '),
        words.map((word, index) => `${index + 1}. ${word}`).join('\n'),
        words.map((word) => word.normalize('NFC')).join(' '),
        words.toSpliced(slip, 1).join(' '),
        words.toSpliced(slip, 1, 'blorp').join(' '),
        swapped.join(' '),
        `My wallet: ${words.join(' ')}. Please help!`,
        `https://wallet.example/?seed=${encodeURIComponent(words.join(' '))}`,
      ]) {
        for (const place of ['destination', 'text', 'identifier'] as const)
          assert.equal(secretIn(text, place), 'recovery_phrase', `${place}, ${name}: ${text}`)
      }
      assert.notEqual(secretIn(words.join(''), 'destination'), undefined, `${name}: ${words.join('')}`)
    }
  }
  const words = phrase.split(' ')
  for (const text of [
    phrase.replaceAll(' ', ''),
    phrase.match(/.{1,5}/g)?.join(' ') ?? '',
    words.slice(0, 10).join(' '),
    'I IRE BOND BOW TRIO LAID SEAT GOAL HEN IBIS IBIS DARE',
  ])
    assert.notEqual(secretIn(text, 'destination'), undefined, text)
})

test('addresses of every network are no secrets where an address belongs, alone or in a link', () => {
  const addresses = networks.flatMap(({ family, addressExample }) => [
    addressExample,
    ...Array.from({ length: 500 }, (_, seed) => makeSandboxAddress(family, Uint8Array.of(seed % 256, seed >> 8))),
  ])
  const rest = [
    `0:${randomBytes(32).toString('hex')}`,
    'X7gJ5YK8abHf2eTPWPFHAAot8Knck11QGqmQ7a6a3Z8PJvk',
    'web+stellar:pay?destination=GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO&amount=120.123&memo=skdjfasf&msg=pay%20me%20with%20lumens',
    '5592049',
    '',
  ]
  for (const text of [
    ...addresses,
    ...rest,
    ...addresses.slice(0, 40).map((one) => `bitcoin:${one}?amount=0.1&label=my%20coins`),
  ])
    assert.equal(secretIn(text, 'destination'), undefined, text)
})

test('ids, hashes and ordinary sentences in any language are no secrets in other fields', () => {
  for (const text of [
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8',
    'About once a year we move house and then the young one has to change the school again.',
    'Rua das Flores, bloco B, apartamento trinta e dois, perto da igreja de Santo Antonio de Lisboa',
    '北京市朝阳区建国门外大街一号国贸大厦三期二十二层甲乙丙丁戊己庚辛',
    'Avenue du Général de Gaulle, bâtiment C, escalier deux, porte gauche, au fond de la cour à droite',
    'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz',
    phrase.split(' ').slice(0, 9).join(' '),
    '',
  ])
    for (const place of ['text', 'identifier'] as const) assert.equal(secretIn(text, place), undefined, text)
  for (const bytes of [randomBytes(32), randomBytes(64)])
    for (const form of ['hex', 'base64', 'base64url'] as const)
      assert.equal(secretIn(bytes.toString(form), 'identifier'), undefined, bytes.toString(form))
})

test('100,000 names, addresses, ids and hashes are no secrets', () => {
  const names = [
    'Sebastian',
    'Theodora',
    'Štěpán',
    'Lucía',
    'Søren',
    'Τατιάνα',
    'Кирилл',
    '美咲',
    'Thérèse',
    'Zoë',
    'Quinn',
    'Lee',
  ]
  const places = [
    'Straße',
    'Street',
    'Rua das Flores',
    'Avenue',
    'Naměstí',
    'Calle Mayor',
    'Via',
    'Park',
    'Bridge',
    'North',
  ]
  const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const draw = (length: number) => Array.from({ length }, () => base58[randomInt(58)]).join('')
  const several = (among: readonly string[], most: number) =>
    [...among]
      .toSorted(() => randomInt(3) - 1)
      .slice(0, 1 + randomInt(most))
      .join(' ')
  const makers: readonly [place: 'text' | 'identifier', make: () => string][] = [
    ['text', () => `${several(names, 4)} ${several(names, 2)}`],
    [
      'text',
      () => `${several(places, 3)} ${randomInt(400)}, ${several(places, 2)} ${randomInt(99_999)}, ${several(names, 3)}`,
    ],
    ['text', () => `${several(names, 2)}.${randomInt(9_999)}@example.com`.replaceAll(' ', '.').toLowerCase()],
    ['identifier', () => randomUUID()],
    ['identifier', () => randomBytes(32).toString('hex')],
    ['identifier', () => `0x${randomBytes(32).toString('hex')}`],
    ['identifier', () => randomBytes(63).toString('base64url')],
    ['identifier', () => draw(20 + randomInt(70))],
    ['identifier', () => `https://shop.example/done?order=${draw(51)}&signature=${randomBytes(32).toString('hex')}`],
  ]
  for (const [place, make] of makers)
    for (let made = 0; made < 100_000 / makers.length; made += 1) {
      const text = make()
      assert.equal(secretIn(text, place), undefined, text)
    }
})

test('links of words are no recovery phrase, and an email address may be a hash', () => {
  const links = [
    '/calculator/v2?theme=light&type=wide&default_side=sell_crypto&payment_category=SEPA&side_toggle_disabled=true',
    'https://shop.example/account/order/payment/success?type=buy&state=paid&code=42&method=card&region=north&language=en',
    `${'0a'.repeat(32)}@users.partner.example`,
  ]
  for (const link of links) assert.equal(secretIn(link, 'identifier'), undefined, link)
  const phrase = 'abandon ability able about above absent absorb abstract absurd abuse access accident'
  assert.equal(secretIn(`https://wallet.example/?seed=${phrase.replaceAll(' ', '+')}`, 'identifier'), 'recovery_phrase')
})

test('a text that is made to be slow costs little more than another of its length', () => {
  const [words, slips] = [
    ['act', 'add', 'age', 'aim', 'air', 'all', 'any'],
    ['zzzzq', 'qzzzz', 'zqzqz', 'qqzzq'],
  ]
  const letter = (at: number) => String.fromCharCode(97 + (at % 26))
  const hostile = Array.from({ length: 300 }, (_, at) =>
    [...words, ...slips.map((slip, index) => `${slip}${letter(at)}${letter(index + at / 26)}`)].join(' '),
  ).join(' ')
  const ordinary = 'lorem ipsum dolor sit amet '.repeat(Math.ceil(hostile.length / 27)).slice(0, hostile.length)
  const costOf = (text: string) => {
    const before = process.cpuUsage().user
    for (let round = 0; round < 5; round += 1) assert.equal(secretIn(text, 'text'), undefined)
    return process.cpuUsage().user - before
  }
  const [first, second] = [costOf(ordinary) + costOf(ordinary), costOf(hostile)]
  assert.ok(second < 20 * first, `${second} of ${first} microseconds`)
})
