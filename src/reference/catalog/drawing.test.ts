import assert from 'node:assert/strict'
import { test } from 'node:test'

import { assertUnique } from '../../../test/support/assert-unique.ts'
import { listings } from './asset.ts'
import { currencies } from './currency.ts'
import { drawings, strokesOf } from './drawing.ts'
import { networks } from './network.ts'

test('every currency and network has its drawing, and every drawing is of one', () => {
  const wanted = new Set(
    [...currencies, ...networks, ...listings.map(({ network }) => network)].map(({ logo }) => logo),
  )
  for (const name of wanted) assert(drawings.has(name), `${name} is missing`)
  assert.deepEqual([...drawings.keys()].toSorted(), [...wanted].toSorted())
})

test('a drawing is small and plain: no script, no style, nothing fetched, no name that another drawing of a page could have', () => {
  for (const [name, text] of drawings) {
    assert(text.length < 1_000, name)
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img" aria-label="[^"]+">/, name)
    assert.doesNotMatch(
      text.replace('http://www.w3.org/2000/svg', ''),
      /script|style|href|url\(|http|on[a-z]+=|<image|<!| id=/i,
      name,
    )
  }
})

test('drawings fit into a page, in 32 by 32 units, and an unknown name is refused', () => {
  for (const name of drawings.keys()) {
    assert.match(strokesOf(name), /^<[\s\S]+>$/, name)
    assert.doesNotMatch(strokesOf(name), /<\/?svg/, name)
  }
  assert.throws(() => strokesOf('nobody'), /no drawing nobody/)
})

test('no two drawings are the same', () => {
  assertUnique([...drawings.values()].map((text) => text.replace(/aria-label="[^"]+"/, '')))
})
