import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readSources } from '../../../test/support/source.ts'
import { languageOf, languages } from '../../platform/language/language.ts'
import { spellProblem } from './spell-problem.ts'

/** Every sentence that refuses an address or an account, as in the sources. */
const sentences = readSources('src')
  .filter(
    ({ path }) =>
      /^src\/(reference\/(addresses|bank)|exchange\/transactions\/payout-destination)\b/.test(path) &&
      !path.endsWith('.test.ts'),
  )
  .flatMap(({ text }) => [...text.matchAll(/(?:refuse\((?:'\w+', )?|reason: |return |\? )(['`])([A-Z][^\n]*?\.)\1/g)])
  .map(([, , sentence = '']) => sentence.replaceAll(/\$\{[^}]*\}/g, 'X'))

test('whatever is refused at the checkout is said in the language of its page', () => {
  assert.ok(sentences.length > 60, `${sentences.length} sentences were found`)
  for (const tag of languages) {
    const language = languageOf(tag)
    for (const message of sentences) {
      for (const code of ['INVALID_ADDRESS', 'INVALID_ACCOUNT', 'INVALID_VALUE', 'REQUIRED', 'SOMETHING_NEW']) {
        const text = spellProblem({ code, message }, language)
        assert.equal(text === message, tag === 'en', `${tag} ${message}`)
      }
    }
  }
})

test('what is refused says what to mend, in other languages too', () => {
  const german = languageOf('de')
  const says = (code: string, message: string) => spellProblem({ code, message }, german)
  assert.match(says('INVALID_ADDRESS', 'The checksum does not match: check every character.'), /Prüfsumme/)
  assert.match(says('INVALID_ADDRESS', 'This is an address of a test network.'), /Testnetz/)
  assert.equal(
    says('INVALID_ADDRESS', "That's an Ethereum address. You're buying Bitcoin."),
    'Das ist eine Adresse von Ethereum. Sie brauchen eine für Bitcoin.',
  )
  assert.match(says('INVALID_ADDRESS', 'This is a payment request for another coin.'), /anderen Coin/)
  assert.match(says('INVALID_VALUE', 'The payment request names another Memo.'), /passt nicht/)
  assert.match(says('INVALID_ACCOUNT', 'No IBAN begins with XX.'), /IBAN/)
  assert.match(says('INVALID_ADDRESS', 'This is a secret key, not an address. Show it to nobody.'), /niemandem/)
  assert.match(says('METHOD_NOT_AVAILABLE', 'The time to pay this way is over.'), /Zahlungsart/)
  assert.match(says('NOBODY_KNOWS', 'Something else.'), /nicht angenommen/)
})
