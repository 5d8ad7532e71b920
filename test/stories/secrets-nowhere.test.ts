import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { generateMnemonic } from '@scure/bip39'
import { wordlist as english } from '@scure/bip39/wordlists/english'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese'
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese'
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese'

import { checkoutSteps } from '../../src/doors/checkout/steps.ts'
import { openPath, postForm, signedCalculator } from '../support/calculator.ts'
import { bodyWith, createTexts, goodCreate } from '../support/create-texts.ts'
import type { Refused } from '../support/journey.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { secretKeys, secretSpellings } from '../support/secret-samples.ts'

/** Fields for ids, hashes and links: 64 hexadecimal digits may be any of these there, and so may a file in JSON. */
const identifiers = ['external_partner_link_id', 'redirects.successful', 'redirects.cancelled', 'redirects.failed']
const likeHashes = ['hexadecimal', 'Ethereum']

const phrases = Object.fromEntries(
  Object.entries({ english, japanese, portuguese, simplifiedChinese }).map(([name, list]) => {
    const words = generateMnemonic(list, 128).split(/\s/u)
    const slips = [words.join(' '), words.toSpliced(3, 1).join(' '), words.join(' \n '), words.join('%20')]
    return [name, [...slips, ...(name === 'simplifiedChinese' ? [] : [words.join('')])]]
  }),
)

const secrets: readonly { name: string; spelled: readonly string[] }[] = [
  ...Object.entries(secretKeys).map(([name, key]) => ({ name, spelled: secretSpellings.map((spell) => spell(key)) })),
  ...Object.entries(phrases).map(([name, spelled]) => ({ name, spelled })),
]

/** Each spelling of each secret, as often as it takes, among so many fields. */
const dealt = (fields: readonly string[]): { field: string; name: string; text: string }[] =>
  fields.flatMap((field, at) =>
    secrets.map(({ name, spelled }) => ({ field, name, text: spelled[at % spelled.length] ?? '' })),
  )

describe('a key to coins that somebody puts into a field', () => {
  let exchange: ServedExchange
  let served: { url: string; sandbox: ServedExchange['sandbox'] }
  before(async () => {
    exchange = await serveExchange({ LOG_LEVEL: 'trace', RATE_LIMITS: 'off' })
    served = { url: exchange.sandbox.url, sandbox: exchange.sandbox }
  })
  after(() => exchange.remove())

  it('is refused in every text of a create, and never repeated', async () => {
    const paths = [...createTexts, 'payout_info.extra_id', 'payout_extra_id'].filter((path) => !path.includes('.ip'))
    for (const { field, name, text } of dealt(paths)) {
      if (identifiers.includes(field) && likeHashes.includes(name)) continue
      const { status, body } = await exchange.api<Refused>('/v1/transaction', { body: bodyWith(field, text) })
      assert.deepEqual([status, body.errors[0]?.code], [400, 'SECRET_KEY'], `${field}, ${name}: ${text}`)
      assert.ok(!JSON.stringify(body).includes(text))
    }
  })

  it('is refused in every field of the checkout, and cleared', async () => {
    const created = await exchange.api<{ redirect_url: string }>('/v1/transaction', { body: goodCreate })
    const { pathname, search } = new URL(created.body.redirect_url)
    const fields = new Set(Object.values(checkoutSteps).flatMap((step) => step.fields ?? []))
    for (const { field, name, text } of dealt([...fields, 'confirms', 'anything'])) {
      const answer = await postForm(served, pathname + search, { do: 'email', [field]: text })
      const page = await answer.text()
      assert.equal(answer.status, 400, `${field}, ${name}: ${text}`)
      assert.match(page, /a private key or a recovery phrase/)
      assert.ok(!page.includes(text), `${field} shows ${name}`)
    }
  })

  it('is refused in every parameter and field of the calculator, and shown in none', async () => {
    const parameters = ['payout_address', 'payout_extra_id', 'email', 'external_partner_link_id', 'redirects_failed']
    const refused = async (answer: Response, why: string) => {
      assert.equal(answer.status, 400, why)
      assert.match((await answer.text()).replace(/<style>.*<.style>/s, ''), /a private key or a recovery phrase/, why)
    }
    for (const { field, name, text } of dealt([...parameters, ...parameters])) {
      if (/external|redirects/.test(field) && likeHashes.includes(name)) continue
      await refused(
        await openPath(served, signedCalculator(served, `${field}=${encodeURIComponent(text)}`)),
        `${field}, ${name}: ${text}`,
      )
    }
    for (const { field, name, text } of dealt(['from_amount', 'to_amount', 'category']))
      await refused(
        await postForm(served, signedCalculator(served, 'locale=en'), { do: 'update', [field]: text }),
        `${field}, ${name}`,
      )
  })

  it('is in no file of the database, its log of writes among them, and in no log', async () => {
    await exchange.kill('SIGTERM')
    const files = readdirSync(exchange.env.DATA_DIR ?? '', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    assert.ok(files.length > 500, `${files.length} files`)
    for (const { name, spelled } of secrets)
      for (const text of spelled) {
        for (const bytes of files) assert.ok(!bytes.includes(text), `${name} is in a file`)
        assert.ok(!exchange.output().includes(text), `${name} is in the log`)
      }
  })
})
