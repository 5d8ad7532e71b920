import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readSources } from '../../../test/support/source.ts'
import { type Catalog, catalogs } from './catalog.ts'

const english = catalogs.get('en') ?? assert.fail('there is no English')
const foreign = [...catalogs].filter(([tag]) => tag !== 'en')
const plurals = /\.(zero|one|two|few|many|other)$/

/** Keys whose texts follow a number, without the plural category. */
const stemsOf = (texts: Catalog): Set<string> =>
  new Set(Object.keys(texts).flatMap((key) => (key.endsWith('.one') ? [key.slice(0, -'.one'.length)] : [])))

const placesOf = (text: string): string[] => [...text.matchAll(/\{(\w*)\}/g)].map(([, name = '']) => name).toSorted()

test('every text of the catalog is used, and none is looked for in vain', () => {
  const sources = readSources('src').filter(
    ({ path }) => !path.includes('.test.') && !path.startsWith('src/platform/language/'),
  )
  const code = sources.map(({ text }) => text).join('\n')
  const composed = [...code.matchAll(/(?:say|find|count|sayCount)\(\s*`([\w.]+)\.\$\{/g)].map(
    ([, stem = '']) => `${stem}.`,
  )
  const stems = stemsOf(english)

  for (const key of Object.keys(english)) {
    const stem = key.replace(plurals, '')
    const isNamed = code.includes(`'${key}'`) || (stems.has(stem) && code.includes(`'${stem}'`))
    const isPart = composed.some((prefix) => key.startsWith(prefix))
    const isRefusal = key.startsWith('problem.') && code.includes(`'${key.slice('problem.'.length)}'`)
    const isSaidHere = key === 'time.soon'
    assert(isSaidHere || (key.startsWith('problem.') ? isRefusal : isNamed || isPart), `${key} is used nowhere`)
  }
  for (const prefix of composed)
    assert(
      Object.keys(english).some((key) => key.startsWith(prefix)),
      `there is no text below ${prefix}`,
    )
})

test('a text has no place that nobody fills, and no markup', () => {
  for (const [tag, texts] of catalogs) {
    for (const [key, text] of Object.entries(texts)) {
      // The names in these are read from the English sentence (`spellProblem`).
      if (key.startsWith('problem.') && !/^problem\.address\.(onNetwork|lightning|extendedKey|name)$/.test(key))
        assert.doesNotMatch(text, /\{/, `${tag} ${key} is shown unchanged`)
      for (const name of placesOf(text)) assert.match(name, /^[a-z]+$/i, `${tag} ${key}`)
      assert.doesNotMatch(text, /[<>]|&\w+;/, `${tag} ${key} holds markup`)
      assert.equal(text, text.trim(), `${tag} ${key} begins or ends with a space`)
    }
  }
})

for (const [tag, texts] of foreign) {
  test(`${tag} says everything that English says, and fills the same places`, () => {
    const stems = stemsOf(english)
    const plain = (one: Catalog) => Object.keys(one).filter((key) => !stems.has(key.replace(plurals, '')))
    assert.deepEqual(plain(texts).toSorted(), plain(english).toSorted())
    for (const key of plain(english)) {
      assert.deepEqual(
        new Set(placesOf(texts[key] ?? '')),
        new Set(placesOf(english[key] ?? '')),
        `the places of ${key}`,
      )
    }
    const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories
    for (const stem of stems) {
      const has = Object.keys(texts).filter((key) => key.replace(plurals, '') === stem)
      assert.deepEqual(has.toSorted(), forms.map((form) => `${stem}.${form}`).toSorted(), `the plurals of ${stem}`)
      const places = new Set(placesOf(english[`${stem}.other`] ?? ''))
      for (const key of has)
        for (const name of placesOf(texts[key] ?? '')) assert.ok(places.has(name), `${key} fills ${name}`)
    }
  })

  test(`${tag} is translated: no text with two or more spaces is still English`, () => {
    const same = Object.entries(texts).filter(
      ([key, text]) =>
        text === english[key] &&
        text
          .replace(/\{\w+\}/g, '')
          .trim()
          .split(/\s+/).length > 2,
    )
    assert.deepEqual(same, [])
  })
}
