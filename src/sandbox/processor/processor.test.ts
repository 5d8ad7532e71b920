import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, test } from 'node:test'

import type { FastifyInstance } from 'fastify'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { table } from '../../../test/support/table.ts'
import type { Database } from '../../platform/db/sql.ts'
import { processorKey, type World } from '../world.ts'
import { problemsOfCard } from './card-form.ts'
import { payLink } from './link.ts'
import { type Message, toRailEvent } from './messages.ts'
import { buildProcessor } from './processor.ts'

const valid = { do: 'pay', number: '4242 4242 4242 4242', expiry: '12/39', cvc: '123' }
const returnUrl = 'https://exchange.example/checkout?tid=1&returned=1'

describe('the pages of the sandbox processor', () => {
  let db: Database
  let app: FastifyInstance
  let world: World
  let link: string
  let count = 0
  const logged: string[] = []

  before(async () => {
    const ctx = await testContext(await testDatabase())
    db = ctx.db
    const { clock, queue, secrets } = ctx
    world = { db, clock, queue, secrets: processorKey(secrets), url: 'https://processor.example', confirmations: {} }
    const write = (facts: object, message: string) => void logged.push(JSON.stringify(facts) + message)
    app = await buildProcessor(world, { debug: write, info: write, warn: write, error: write })
  })
  after(async () => {
    await app.close()
    await db.close()
  })
  beforeEach(() => {
    count += 1
    link = linkOf('VISA_MC')
  })

  const linkOf = (category: string): string => {
    const order = { reference: `order-${count}`, asset: 'EUR-EUR', amount: 10_050n, category, returnUrl, locale: 'en' }
    return payLink(world, order).slice(world.url.length)
  }
  const show = () => app.inject({ method: 'GET', url: link })
  const post = (form: Record<string, string>, url = link) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    })
  const payments = () => db.sql<{ state: string; attempts: number }>`
    select state, attempts from sandbox.card_payments where reference = ${`order-${count}`}`
  const callbacks = () => db.sql<{ body: { status: string } }>`
    select body from sandbox.callbacks where body ->> 'merchant_reference' = ${`order-${count}`}`

  it('shows the merchant, the amount and the test cards, and keeps nothing', async () => {
    const page = await show()
    assert.equal(page.statusCode, 200)
    assert.match(page.payload, /exchange\.example/)
    assert.match(page.payload, /100\.50 EUR/)
    assert.match(page.payload, /Sandbox Card Processor/)
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.deepEqual(await payments(), [])
  })

  it('knows no link but those that its rail has signed, to the last character', async () => {
    const forged = [
      link.replace('amount=10050', 'amount=1'),
      link.replace('exchange.example', 'evil.example'),
      link.replace(/signature=\w+/, ''),
      link.replace(/signature=\w+/, 'signature=00'),
      `${link}&amount=1`,
      '/pay',
      '/',
    ]
    for (const url of forged) {
      assert.equal((await app.inject({ method: 'GET', url })).statusCode, 404, url)
      assert.equal((await post(valid, url)).statusCode, 404, url)
    }
    assert.deepEqual(await payments(), [])
  })

  it('takes a card that pays, once, however often the form is sent, and leads back', async () => {
    for (const page of await Promise.all([post(valid), post(valid), post(valid)])) {
      assert.equal(page.statusCode, 303)
      assert.equal(page.headers.location, returnUrl)
    }
    assert.deepEqual(await payments(), [{ state: 'captured', attempts: 1 }])
    assert.deepEqual(
      (await callbacks()).map(({ body }) => body.status),
      ['CAPTURED'],
    )
    assert.match((await show()).payload, /Already paid/)
  })

  it('declines a card and takes another one after it', async () => {
    const declined = await post({ ...valid, number: '4000000000000002' })
    assert.equal(declined.headers.location, link)
    assert.match((await show()).payload, /was declined/)
    assert.equal((await post(valid)).headers.location, returnUrl)
    assert.deepEqual(
      (await callbacks()).map(({ body }) => body.status),
      ['DECLINED', 'CAPTURED'],
    )
  })

  it('takes a card whose address or security code does not match, and says so', async () => {
    for (const [number, checks] of [
      ['4000000000000010', { avs: 'N', cvc: 'M' }],
      ['4000 0000 0000 0101', { avs: 'Y', cvc: 'N' }],
    ] as const) {
      count += 1
      link = linkOf('VISA_MC')
      assert.equal((await post({ ...valid, number })).headers.location, returnUrl)
      const [callback] = await callbacks()
      const { avs, cvc } = toRailEvent(callback?.body as Message, '').body
      assert.deepEqual({ avs, cvc }, checks)
    }
  })

  it('asks for a challenge, which passes or fails', async () => {
    const challenged = { ...valid, number: '4000-0000-0000-3220' }
    assert.equal((await post({ do: 'pass' })).headers.location, link)
    assert.deepEqual(await payments(), [], 'a challenge that nobody asked for is not passed')

    await post(challenged)
    assert.match((await show()).payload, /Confirm it is you/)
    assert.equal((await post({ do: 'fail' })).headers.location, link)
    assert.match((await show()).payload, /was declined/)
    await post(challenged)
    assert.equal((await post({ do: 'pass' })).headers.location, returnUrl)
    assert.deepEqual(
      (await callbacks()).map(({ body }) => body.status),
      ['DECLINED', 'CAPTURED'],
    )
  })

  for (const [category, title] of [
    ['APPLE_PAY', 'Pay with Apple Pay'],
    ['GOOGLE_PAY', 'Pay with Google Pay'],
    ['REVOLUT_PAY', 'Pay with Revolut Pay'],
  ] as const) {
    it(`asks a customer of ${category} to pay or to decline, and for no card`, async () => {
      link = linkOf(category)
      const page = await show()
      assert.match(page.payload, new RegExp(title))
      assert.doesNotMatch(page.payload, /Card number/)

      assert.equal((await post({ do: 'decline' })).headers.location, link)
      assert.match((await show()).payload, /was declined/)
      assert.equal((await post({ do: 'pay' })).headers.location, returnUrl)
      assert.deepEqual(
        (await callbacks()).map(({ body }) => body.status),
        ['DECLINED', 'CAPTURED'],
      )
    })
  }

  for (const category of ['OPEN_BANKING', 'PSE']) {
    it(`lets a customer of ${category} choose a bank, and approve or refuse there`, async () => {
      link = linkOf(category)
      assert.match((await show()).payload, /Your Bank/)
      const unchosen = await post({ do: 'pay' })
      assert.equal(unchosen.statusCode, 422)
      assert.match(unchosen.payload, /Error: Approve a payment.*Choose a bank/s)
      assert.deepEqual(await payments(), [])

      assert.equal((await post({ do: 'decline' })).headers.location, link)
      assert.match((await show()).payload, /You refused/)
      assert.equal((await post({ do: 'pay', bank: 'First Test Bank' })).headers.location, returnUrl)
      assert.match((await show()).payload, /Already paid/)
      const [{ rail } = { rail: '' }] = await db.sql<{ rail: string }>`
        select rail from sandbox.callbacks where body ->> 'merchant_reference' = ${`order-${count}`}`
      assert.equal(rail, 'sandbox-open-banking')
    })
  }

  it('takes a card form for a card only', async () => {
    assert.equal((await post({ do: 'decline' })).headers.location, link)
    assert.deepEqual(await payments(), [], 'a card is declined by its processor, not by a button')
  })

  it('shows, stores and logs no card number, right or wrong', async () => {
    const secretive = { ...valid, number: '4111 1111 1111 1111', cvc: '98761' }
    const wrong = await post(secretive)
    assert.equal(wrong.statusCode, 422)
    assert.doesNotMatch(wrong.payload, /4111 ?1111|98761/)
    await post(valid)
    const rows = await db.sql<{ row: string }>`
      select card_payments::text as row from sandbox.card_payments union all select callbacks::text from sandbox.callbacks`
    for (const { row } of rows) assert.doesNotMatch(row, /4242 ?4242|4111 ?1111/)
    assert.doesNotMatch(logged.join('\n'), /4242 ?4242|4111 ?1111/)
  })
})

test('a card form is right when the card is known, the month not over and the code three or four digits', () => {
  const now = new Date('2026-03-31T23:00:00.000Z')
  const rows = table(`
    number               expiry   cvc    wrong
    4242424242424242     03/26    123    ''
    4242 4242 4242 4242  12/2031  1234   ''
    4000-0000-0000-0002  4/26     000    ''
    4000000000003220     0426     123    ''
    4111111111111111     12/30    123    number
    constructor          12/30    123    number
    __proto__            12/30    123    number
    ''                   12/30    123    number
    4242424242424242     02/26    123    expiry
    4242424242424242     13/30    123    expiry
    4242424242424242     00/30    123    expiry
    4242424242424242     ''       123    expiry
    4242424242424242     12/30    12     cvc
    4242424242424242     12/30    12345  cvc
    4242424242424242     12/30    abc    cvc
    ''                   ''       ''     number expiry cvc
  `)
  for (const { number = '', expiry = '', cvc = '', wrong = '' } of rows) {
    assert.equal(
      Object.keys(problemsOfCard({ number, expiry, cvc }, now)).join(' '),
      wrong,
      `${number} ${expiry} ${cvc}`,
    )
  }
})
