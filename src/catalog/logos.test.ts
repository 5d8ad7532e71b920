import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { assertUnique } from '../../test/support/assert-unique.ts'
import { listings } from './asset.ts'
import { currencies } from './currency.ts'
import { networks } from './network.ts'

/** The tests run from dist/src/catalog. */
const logos = `${import.meta.dirname}/../../../assets/logos`
const drawings = readdirSync(logos).map((name) => ({ name, text: readFileSync(`${logos}/${name}`, 'utf8') }))

test('every currency and network has its drawing, and every drawing is of one', () => {
  const wanted = new Set(
    [...currencies, ...networks, ...listings.map(({ network }) => network)].map(({ logo }) => `${logo}.svg`),
  )
  for (const name of wanted) assert(existsSync(`${logos}/${name}`), `${name} is missing`)
  assert.deepEqual(drawings.map(({ name }) => name).toSorted(), [...wanted].toSorted())
})

test('a drawing is small and plain: no script, no style, nothing fetched', () => {
  for (const { name, text } of drawings) {
    assert(text.length < 1_000, name)
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img" aria-label="[^"]+">/, name)
    assert.doesNotMatch(
      text.replace('http://www.w3.org/2000/svg', ''),
      /script|style|href|url\(|http|on[a-z]+=|<image|<!/i,
      name,
    )
  }
})

test('no two drawings are the same', () => {
  assertUnique(drawings.map(({ text }) => text.replace(/aria-label="[^"]+"/, '')))
})
