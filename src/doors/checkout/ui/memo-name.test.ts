import assert from 'node:assert/strict'
import { test } from 'node:test'

import { serveGallery } from '../../../../test/pictures/gallery.ts'
import { networks } from '../../../reference/catalog/network.ts'
import { languageOf, languages } from '../../../platform/language/language.ts'
import { memoName } from './memo-name.ts'

test('the memo of every network has its name in every language', () => {
  for (const { memo } of networks)
    for (const tag of memo ? languages : [])
      assert.notEqual(languageOf(tag).find(`memo.name.${memo?.name}`), undefined, `${tag} ${memo?.name}`)
  const tag = networks.find(({ code }) => code === 'XRP')?.memo
  const named = ['en', 'de', 'es'].map((one) => memoName(tag, languageOf(one)))
  assert.deepEqual(named, ['destination tag', 'Ziel-Tag (Destination Tag)', 'etiqueta de destino (destination tag)'])
})

test('a memo’s name is written as its language writes it, within a sentence and at its beginning', async (t) => {
  const app = serveGallery()
  t.after(() => app.close())
  const read = async (path: string) => (await app.inject(path)).body
  const english = await read('/en/checkout/coin-memo')
  assert.match(english, />Destination tag \(required\)</)
  assert.match(english, /The destination tag is for .*Enter the destination tag too/s)
  assert.doesNotMatch(english, /[a-z] Destination tag/)
  assert.match(
    await read('/es/checkout/coin-memo'),
    />Etiqueta de destino .* \(imprescindible\)<.*: etiqueta de destino/s,
  )
  assert.match(await read('/en/checkout/payout-address-memo'), />Destination tag for this address/)
})
