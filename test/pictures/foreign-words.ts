import assert from 'node:assert/strict'

import { listings } from '../../src/reference/catalog/asset.ts'
import { type Catalog, catalogs } from '../../src/platform/language/catalog.ts'
import { samplePages } from '../support/checkout-pages.ts'

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}[\p{L}’'-]*/gu) ?? []

const wordsIn = (texts: Catalog): Set<string> =>
  new Set(Object.values(texts).flatMap((text) => wordsOf(text.replaceAll(/\{\w+\}/g, ' '))))

/** What is called so in every language, and is an English word as well: coins, networks, and who the samples are about. */
const names = new Set([
  ...listings.flatMap(({ asset, currency, network }) =>
    wordsOf([asset.ticker, currency.kind === 'CRYPTO' ? currency.name : '', network.name].join(' ')),
  ),
  ...Object.values(samplePages).flatMap(({ view }) => wordsOf(view?.partnerName ?? 'Tulip Wallet')),
  ...wordsOf('Cambio Sandbox Ltd, Sandbox Bank'),
])

const english = wordsIn(catalogs.get('en') ?? assert.fail('there is no English'))

/**
 * The words of a text that stand in the English catalog and not in that of its language: what was left untranslated. Names of
 * coins and networks belong to every language.
 */
export function foreignWords(text: string, tag: string): string[] {
  const own = wordsIn(catalogs.get(tag) ?? assert.fail(`there is no ${tag}`))
  const said = text.replaceAll(/\S*\/\S*/g, ' ')
  return [...new Set(wordsOf(said))].filter((word) => english.has(word) && !own.has(word) && !names.has(word))
}
