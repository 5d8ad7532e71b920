import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findListing } from '../../reference/catalog/asset.ts'
import { catalogs } from './catalog.ts'
import { isLocale, languageOf, languages } from './language.ts'

const inEnglish = languageOf('en')
const euro = findListing('EUR')
const ether = findListing('ETH')
const [yen, dinar] = [findListing('JPY'), findListing('BHD')]

test('amounts are written to the last digit, with money to the cent', () => {
  assert(euro && ether)
  const shown = (units: bigint, listing: typeof euro) => inEnglish.amount(units, listing).replace('\u00A0', ' ')
  assert.equal(shown(10_000n, euro), '100.00 EUR')
  assert.equal(shown(123_456_789_01n, euro), '123,456,789.01 EUR')
  assert.equal(shown(-150n, euro), '\u22121.50 EUR')
  assert.equal(shown(1n, ether), '0.000000000000000001 ETH')
  assert.equal(shown(12_345_678_901_234_567_890_123n, ether), '12,345.678901234567890123 ETH')
  assert.equal(shown(10n ** 18n, ether), '1 ETH')
  assert(yen && dinar)
  assert.equal(shown(1_234n, yen), '1,234 JPY')
  assert.equal(shown(1_234_500n, dinar), '1,234.500 BHD')
})

test('a price may be finer than the money that it is in', () => {
  assert(euro)
  assert.equal(inEnglish.price(812_345n, 7, euro), '0.0812345\u00A0EUR')
  assert.equal(inEnglish.price(8_000_000n, 7, euro), '0.80\u00A0EUR')
})

test('a share is written to the hundredth of a percent, in the form of its language', () => {
  const shown = (tag: string, basisPoints: number) => languageOf(tag).percent(basisPoints).replace(/\s/, ' ')
  assert.deepEqual([shown('en', 100), shown('en', 250), shown('en', 5)], ['1%', '2.5%', '0.05%'])
  assert.deepEqual([shown('de', 250), shown('fr', 250), shown('es', 10_000)], ['2,5 %', '2,5 %', '100 %'])
})

test('money is called as in the language, coins as everywhere', () => {
  assert(yen && ether)
  const named = (tag: string) => [yen, ether].map(({ currency }) => languageOf(tag).currency(currency))
  assert.deepEqual(
    [named('de'), named('es')],
    [
      ['Japanischer Yen', 'Ethereum'],
      ['yen japonés', 'Ethereum'],
    ],
  )
})

test('no line of a French text begins with the sign that ends it', () => {
  const { say } = languageOf('fr')
  assert.equal(say('country.title'), 'Où habitez-vous\u202F?')
  assert.equal(say('layout.sandbox').slice(0, 24), 'Environnement de test\u00A0: ')
  for (const [key, text] of Object.entries(catalogs.get('fr') ?? {})) assert.doesNotMatch(text, / [:;!?»]|« /, key)
})

test('a moment is shown in UTC, and says so', () => {
  assert.match(inEnglish.moment(new Date('2026-03-06T23:30:00.000Z')), /^Friday, March 6.*11:30\sPM UTC$/)
})

test('a time that ends at midnight is shown to end with the day before', () => {
  assert.match(inEnglish.moment(new Date('2026-11-30T00:00:00.000Z')), /^Sunday, November 29.*11:59\sPM UTC$/)
  assert.match(inEnglish.moment(new Date('2026-11-30T00:01:00.000Z')), /^Monday, November 30.*12:01\sAM UTC$/)
  assert.match(languageOf('de').moment(new Date('2026-12-01T00:00:00.000Z')), /^Montag, 30\. November.*23:59 UTC$/)
})

test('no more time is promised than there is', () => {
  assert.equal(inEnglish.duration(899_999), '14 minutes')
  assert.equal(inEnglish.duration(60_000), '1 minute')
  assert.equal(inEnglish.duration(59_999), 'less than a minute')
  assert.equal(inEnglish.duration(-5), 'less than a minute')
  assert.equal(inEnglish.duration(119 * 60_000), '119 minutes')
  assert.equal(inEnglish.duration(86_399_999), '23 hours')
  assert.equal(inEnglish.duration(5 * 86_400_000 - 1), '4 days')
})

test('a language that we do not speak is answered in English', () => {
  assert.equal(languageOf('xx', null, undefined, 'tlh-AA, tlh;q=0.9').tag, 'en')
  assert.equal(languageOf('xx', 'tlh, en-GB;q=0.8').tag, 'en', 'the first of a list that we speak')
  assert.equal(languageOf('__proto__').tag, 'en')
  for (const locale of ['en', 'de', 'pt-BR', 'zh_Hant_TW']) assert(isLocale(locale), locale)
  for (const locale of ['', 'e', 'v1..', '../x', 'en/', 'a'.repeat(40)]) assert(!isLocale(locale), locale)
})

test('values are filled in unchanged', () => {
  assert.equal(inEnglish.say('pay.by.VISA_MC', { amount: '1 EUR' }), 'Pay 1 EUR by card')
  assert.equal(inEnglish.say('layout.back', { partner: '{amount} $& $1' }), 'Back to {amount} $& $1')
})

test('a text that follows a number has the plural of its language', () => {
  const values = { network: 'Bitcoin', asset: 'BTC', time: '10 minutes' }
  assert.match(inEnglish.count('confirming.final', 1, values), /^1 confirmation$/)
  assert.match(inEnglish.count('confirming.final', 1_200, values), /^1,200 confirmations$/)
})

test('each of the five languages writes numbers, times and plurals in its own form', () => {
  assert(euro)
  assert.deepEqual(languages, ['en', 'ar', 'de', 'es', 'fr'])
  const shown = (tag: string) => {
    const { amount, duration, moment, direction, count } = languageOf(tag)
    const final = count('confirming.final', 3)
    return [
      direction,
      amount(123_456_78n, euro).replace(/\s/g, ' '),
      duration(180_000).replace(/\s/g, ' '),
      final,
      moment(new Date('2026-03-06T23:30:00.000Z')),
    ]
  }
  assert.deepEqual(shown('de').slice(0, 4), ['ltr', '123.456,78 EUR', '3 Minuten', '3 Bestätigungen'])
  assert.deepEqual(shown('fr').slice(0, 4), ['ltr', '123 456,78 EUR', '3 minutes', '3 confirmations'])
  assert.deepEqual(shown('es').slice(0, 4), ['ltr', '123.456,78 EUR', '3 minutos', '3 confirmaciones'])
  assert.deepEqual(shown('ar').slice(0, 4), ['rtl', '\u2066123,456.78 EUR\u2069', '3 دقائق', '3 تأكيدات'])
  assert.match(shown('de')[4] ?? '', /^Freitag, 6\. März.*23:30 UTC$/)
})
