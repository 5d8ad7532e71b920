import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import { emailHash, isEmail, maskEmail, canonicalEmail } from './email.ts'
import { promised } from '../../../test/support/promised.ts'

test('only an e-mail address is recognized as one', () => {
  const rows = table(`
    text                             isEmail
    jan@example.com                  yes
    Jan.Jansen+buy@mail.example.co   yes
    o'neill@example.org              yes
    1@2.nl                           yes
    a@xn--bcher-kva.example          yes
    ''                               no
    jan                              no
    jan@                             no
    @example.com                     no
    jan@localhost                    no
    jan@@example.com                 no
    jan@exa mple.com                 no
    jan.@example.com                 no
    .jan@example.com                 no
    jan..jansen@example.com          no
    jan@example..com                 no
    jan@-example.com                 no
    jan@example.com.                 no
    jan@exämple.com                  no
    "jan"@example.com                no
    jan@[192.0.2.1]                  no
    jan@example.com,eva@example.com  no
  `)
  for (const { text = '', isEmail: expected } of rows) assert.equal(isEmail(text), expected === 'yes', text)
  assert(!isEmail('jan@example.com\nbcc:eva@example.com'))
  assert(isEmail(`${'a'.repeat(64)}@example.com`))
  assert(!isEmail(`${'a'.repeat(65)}@example.com`))
  assert(!isEmail(`a@${'b.'.repeat(130)}com`))
})

test('no text, however long, takes the check more than a moment', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('a.', '.', '@', 'a-', '-'),
      fc.integer({ min: 1_000, max: 200_000 }),
      (piece, count) => {
        const started = performance.now()
        isEmail(`${piece.repeat(count)}@${piece.repeat(count)}!`)
        assert(performance.now() - started < promised(200))
      },
    ),
    { numRuns: 30 },
  )
})

test('one person in two letter cases is one hash, and another person another', () => {
  const ctx = { secrets: { index: Buffer.alloc(32, 1) } } as Parameters<typeof emailHash>[0]
  const other = { secrets: { index: Buffer.alloc(32, 2) } } as Parameters<typeof emailHash>[0]
  assert.deepEqual(emailHash(ctx, 'Jan@Example.com'), emailHash(ctx, 'jan@example.COM'))
  assert.notDeepEqual(emailHash(ctx, 'jan@example.com'), emailHash(ctx, 'jan@example.org'))
  assert.notDeepEqual(emailHash(ctx, 'jan@example.com'), emailHash(other, 'jan@example.com'))
})

test('a masked address is recognized by its owner and useless to others', () => {
  assert.equal(maskEmail('jan.jansen@example.com'), 'j•••@e•••.com')
  assert.equal(maskEmail('j@example.co.uk'), 'j•••@e•••.uk')
})

test('aliases of a mailbox are one address, and nothing else is', () => {
  const same = ['jane.doe@gmail.com', 'JaneDoe@googlemail.com', 'jane.doe+shop@gmail.com', 'j.a.n.e.doe+1@gmail.com']
  assert.deepEqual(new Set(same.map(canonicalEmail)), new Set(['janedoe@gmail.com']))
  assert.equal(canonicalEmail('jane.doe+shop@example.com'), 'jane.doe@example.com')
  assert.notEqual(canonicalEmail('jane.doe@example.com'), canonicalEmail('janedoe@example.com'))
})

test('the spellings of one mailbox at a listed provider are one address, and those of two persons are two', () => {
  const same = [
    ['jane.doe@proton.me', 'janedoe@pm.me', 'jane_doe+x@protonmail.com', 'jane-doe@protonmail.ch'],
    ['jane@icloud.com', 'jane@me.com', 'jane+shop@mac.com'],
    ['jane@yandex.ru', 'jane@ya.ru', 'jane@yandex.com'],
    ['jane@fastmail.com', 'jane+shop@fastmail.com', 'shop@jane.fastmail.com'],
  ]
  for (const spellings of same) assert.equal(new Set(spellings.map(canonicalEmail)).size, 1, spellings.join())
  const different = [
    'jane.doe@icloud.com',
    'janedoe@icloud.com',
    'jane@fastmail.com',
    'jane@fastmail.fm',
    'jane@mail.yandex.ru',
  ]
  assert.equal(new Set(different.map(canonicalEmail)).size, different.length)
})
