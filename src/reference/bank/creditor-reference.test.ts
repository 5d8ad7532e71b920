import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { anyCodePoint } from '../../../test/support/any-code-point.ts'
import { findReference, isCreditorReference, makeReference, printReference } from './creditor-reference.ts'

const references = fc.uint8Array({ minLength: 16, maxLength: 32 }).map(makeReference)
/** What a bank or a person may put around a reference, without a second one in it. */
const noise = fc.string({ unit: anyCodePoint, maxLength: 60 }).filter((text) => !/rf/i.test(text))

test('the published examples of ISO 11649 hold, and not with other check digits', () => {
  for (const reference of ['RF18539007547034', 'RF185390075470Y', 'RF45G72UUR', 'RF6518K5', 'RF485000056789012345']) {
    assert(isCreditorReference(reference), reference)
    assert(!isCreditorReference(reference.replace(/^RF(\d)/, (_, digit: string) => (digit === '9' ? 'RF0' : `RF9`))))
  }
  for (const text of ['RF04', 'RF1', '', 'RF18 5390 0754 7034', `RF29${'1'.repeat(22)}`])
    assert(!isCreditorReference(text), text)
  assert(isCreditorReference(`RF48${'1'.repeat(21)}`))
})

test('every reference is of ISO 11649, fits what Faster Payments carry, and has no look-alikes', () => {
  fc.assert(
    fc.property(references, (reference) => {
      assert(isCreditorReference(reference))
      assert.equal(reference.length, 18)
      assert.match(reference, /^RF\d\d[BCDFGHJKLMNPQRSTVWXYZ]{14}$/)
    }),
  )
  assert.notEqual(makeReference(new Uint8Array(16)), makeReference(new Uint8Array(16).fill(1)))
  assert.throws(() => makeReference(new Uint8Array(15)))
})

test('a reference is found again whatever its spacing, letter case and surroundings', () => {
  const separators = fc.array(fc.constantFrom('', '', '', ' ', '-', '\n', '\r\n', '/', '.', '\u00a0', '?21', '?60'), {
    minLength: 18,
    maxLength: 18,
  })
  fc.assert(
    fc.property(references, separators, fc.boolean(), noise, noise, (reference, marks, small, before, after) => {
      const spelled = [...reference].map((character, at) => character + (marks[at] ?? '')).join('')
      assert.equal(findReference(`${before} ${small ? spelled.toLowerCase() : spelled}${after}`), reference)
    }),
    { numRuns: 2000 },
  )
})

test('a reference is found in what banks pass on', () => {
  const reference = makeReference(Uint8Array.from({ length: 16 }, (_, at) => at * 7))
  for (const text of [
    printReference(reference),
    `/RFB/${reference}`,
    `SVWZ+${reference} EREF+NOTPROVIDED`,
    `?20SVWZ+${reference.slice(0, 9)}?21${reference.slice(9)}?30COBADEFF`,
    `Invoice${printReference(reference).toLowerCase()}thanks`,
    `${reference} ${reference}`,
    `RFRF${reference}RF12`,
  ]) {
    assert.equal(findReference(text), reference, text)
  }
})

test('one wrong character is never matched, nor two swapped neighbors', () => {
  const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  fc.assert(
    fc.property(references, (reference) => {
      for (let at = 0; at < reference.length; at += 1) {
        const [here, next] = [reference.charAt(at), reference.charAt(at + 1)]
        for (const other of characters) {
          if (other === here) continue
          assert.equal(findReference(reference.slice(0, at) + other + reference.slice(at + 1)), undefined)
        }
        if (next === '' || next === here) continue
        assert.equal(findReference(reference.slice(0, at) + next + here + reference.slice(at + 2)), undefined)
      }
    }),
    { numRuns: 30 },
  )
})

test('two different references in one text are never guessed between', () => {
  fc.assert(
    fc.property(references, references, noise, (one, other, between) => {
      fc.pre(one !== other)
      assert.equal(findReference(`${one} ${between} ${other}`), undefined)
    }),
  )
})

test('a text without a reference has none, and a long one takes no longer than its length', () => {
  for (const text of ['', 'RF', 'INVOICE 4711', 'RF18539007547034', 'RF12'.repeat(1000)]) {
    assert.equal(findReference(text), undefined)
  }
  const reference = makeReference(new Uint8Array(16).fill(9))
  assert.equal(findReference('RF12BCDFGHJKMNPQRST'.repeat(50_000) + reference), reference)
})

test('references are printed in groups of four', () => {
  assert.match(printReference(makeReference(new Uint8Array(16).fill(3))), /^RF\d\d( [B-Z]{4}){3} [B-Z]{2}$/)
  assert.equal(printReference('RF18539007547034'), 'RF18 5390 0754 7034')
})
