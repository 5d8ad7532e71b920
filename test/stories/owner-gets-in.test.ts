import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { type Answer, cookieOf, type Forms, formsOn, shownTerms } from '../support/checkout-forms.ts'
import { codeFor } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create, lookup } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ TRUSTED_PROXIES: '127.0.0.1/32', LOG_LEVEL: 'fatal' })
  forms = formsOn(exchange)
  // Tasks are solved here, too: a cheap one, and no bound of all networks that the attack would meet first.
  const { ctx } = exchange.service.composition
  const document = ctx.policies.at(ctx.clock.now(), 'caps').document as { one_time_codes: object }
  const work = { per_network: 1_000, in_all: 100_000, bits: 4 }
  const changed = { ...document, one_time_codes: { ...document.one_time_codes, proof_of_work: work } }
  await putInForce(ctx, { kind: 'caps', document: changed })
})
after(() => exchange.stop())

const from = (network: number) => ({ 'x-forwarded-for': `203.0.${network}.9` })
const passing = (email: string) => create(exchange, { customer: { contact_info: { email } } })
/** The next e-mail of an order may be sent at once. */
const noPause = () => lookup(exchange, "update one_time_codes set sent_at = sent_at - interval '1 min'")

/** Sends a form as a browser does, which solves the task that it is given. */
async function send(url: string, form: Record<string, string>, headers: Record<string, string>): Promise<Answer> {
  const first = await forms.post(url, form, headers)
  const [, challenge, bits = '0'] = /data-task="([\w-]+)" data-bits="(\d+)"/.exec(first.text) ?? []
  if (first.status !== 400 || challenge === undefined) return first
  const zeros = (tried: number) =>
    Math.clz32(createHash('sha256').update(`${challenge}.${tried}`).digest().readUInt32BE())
  let task = 0
  while (zeros(task) < Number(bits)) task += 1
  return forms.post(url, { ...form, task: String(task) }, headers)
}

async function linkFor(email: string): Promise<string> {
  const { body } = await exchange.api<{ text: string; kind: string }[]>(
    `/v1/sandbox/mail?to=${encodeURIComponent(email)}`,
  )
  return body.flatMap(({ text }) => /^http\S+&link=[\w-]{24}$/m.exec(text)?.[0] ?? [])[0] ?? assert.fail('no link')
}

/** Everything that a stranger can use up of an address, from their own orders and 50 networks. */
async function exhaust(email: string): Promise<{ refused: number; guessed: number }> {
  const used = { refused: 0, guessed: 0 }
  for (let network = 1; network <= 50; network += 1) {
    const { redirect_url: url } = await passing(email)
    const headers = from(network)
    const tries = network === 1 ? 12 : 2
    for (let at = 0; at < tries; at += 1) {
      await noPause()
      // Whether the last code is dead or not: the form of the other page does nothing.
      for (const name of ['send', 'resend'])
        if ((await send(url, { do: name }, headers)).status === 429) used.refused += 1
      for (let guess = 0; guess < 5; guess += 1) {
        const { text } = await forms.post(
          url,
          { do: 'code', code: '000000' },
          { ...headers, accept: 'application/json' },
        )
        if (/"CODE_(WRONG|SPENT)"/.test(text)) used.guessed += 1
      }
    }
  }
  return used
}

describe('the owner of an address that a stranger has used up everywhere else', () => {
  const email = 'owner@used-up.example'
  const home = from(200)
  let device = ''

  it('has proven it in a browser before', async () => {
    const { redirect_url: url } = await passing(email)
    await send(url, { do: 'send' }, home)
    const answer = await forms.post(
      url,
      { do: 'code', code: await codeFor(exchange, email), accepts: shownTerms },
      home,
    )
    device = /customer-device=[\w.-]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? ''
    assert.ok(device)
  })

  it('is not guessed at more than 100 times a day, and some networks get no more e-mails', async () => {
    const { refused, guessed } = await exhaust(email)
    assert.ok(guessed <= 100, `${guessed} guesses`)
    assert.ok(guessed > 25, `${guessed} guesses: the order of one network is not all`)
    assert.ok(refused >= 2, `${refused} e-mails refused`)
  })

  it('gets a code, and in, in that browser', async () => {
    const { redirect_url: url } = await passing(email)
    const browser = { ...home, cookie: device }
    assert.equal((await forms.post(url, { do: 'send' }, browser)).status, 303, 'without a task')
    const code = await codeFor(exchange, email)
    const answer = await forms.post(url, { do: 'code', code, accepts: shownTerms }, browser)
    assert.match(cookieOf(answer), /^checkout-/)
  })

  it('gets in by the link in the e-mail, in a browser that is new', async () => {
    const { redirect_url: url } = await passing(email)
    const browser = from(201)
    const cookie = cookieOf(await send(url, { do: 'send' }, browser))
    const entered = await forms.post(url, { do: 'code', code: await codeFor(exchange, email) }, { ...browser, cookie })
    assert.match(entered.text, /Open the link in the e-mail/)
    assert.match(cookieOf(await forms.get(await linkFor(email), { ...browser, cookie })), /^checkout-/)
  })

  it('gets in by a link that was sent before no more are, and that wrong guesses have not ended', async () => {
    const other = 'late@used-up.example'
    const { redirect_url: url } = await passing(other)
    const network = from(202)
    for (let at = 0; at < 10; at += 1) {
      await noPause()
      assert.equal((await send(url, { do: at === 0 ? 'send' : 'resend' }, network)).status, 303)
    }
    const link = await linkFor(other)
    for (let guess = 0; guess < 6; guess += 1) await forms.post(url, { do: 'code', code: '000000' }, from(203))
    await noPause()
    const refused = await send(url, { do: 'send' }, network)
    assert.equal(refused.status, 429)
    assert.match(refused.text, /The link in the latest e-mail works in this browser/)
    const mark = cookieOf(refused)
    assert.match(mark, /^asked-/)
    assert.equal(cookieOf(await forms.get(link, from(204))), '', 'not where none was asked for')
    assert.match(cookieOf(await forms.get(link, { ...network, cookie: mark })), /^checkout-/)
  })

  it('of an order without an address is asked for a task where the address has had many e-mails', async () => {
    const { redirect_url: url } = await create(exchange)
    const browser = from(205)
    const first = await forms.post(url, { do: 'email', email }, browser)
    assert.equal(first.status, 400)
    assert.match(first.text, /data-task=/)
    assert.equal((await send(url, { do: 'email', email }, browser)).status, 303)
  })
})
