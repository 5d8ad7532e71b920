import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { cookieOf, formsOn, shownTerms } from '../support/checkout-forms.ts'
import { codeFor } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create, lookup } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ TRUSTED_PROXIES: '127.0.0.1/32', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
/** A browser in a network. */
const from = (address: string) => ({ 'x-forwarded-for': address })
const mailsSent = async (): Promise<number> =>
  (await lookup<{ count: number }>(exchange, 'select count(*)::int from mails', []))[0]?.count ?? 0

/** The task that a page has, if it has one. */
function taskOn(html: string): { challenge: string; bits: number } | undefined {
  const [, challenge, bits] = /data-task="([\w-]+)" data-bits="(\d+)"/.exec(html) ?? []
  return challenge === undefined ? undefined : { challenge, bits: Number(bits) }
}

/** Solves a task as a browser does. */
function solve({ challenge, bits }: { challenge: string; bits: number }): string {
  for (let tried = 0; ; tried += 1) {
    const hash = createHash('sha256').update(`${challenge}.${tried}`).digest()
    if (Math.clz32(hash.readUInt32BE()) >= bits) return String(tried)
  }
}

describe('somebody who sprays codes over 100 addresses from one network', () => {
  const attacker = from('203.0.113.9')
  const emails = Array.from({ length: 100 }, (_, at) => `victim${at}@example.com`)

  it('gets as many e-mails sent and guesses made as the policy allows, and raises an alarm', async () => {
    const forms = formsOn(exchange)
    await setWork({ per_network: 30, in_all: 3_000, bits: 8 })
    const { perNetworkAndHour, proofOfWork } = ctx().policies.at(ctx().clock.now(), 'caps').rules.oneTimeCodes
    const { emails: most, guesses: mostGuesses } = perNetworkAndHour
    const free = proofOfWork?.perNetwork ?? assert.fail('no threshold')
    let solved = 0
    const before = await mailsSent()
    const answers: string[] = []
    for (const email of emails) {
      const { redirect_url: url } = await create(exchange)
      const first = await forms.post(url, { do: 'email', email }, attacker)
      const task = taskOn(first.text)
      if (task) solved += 1
      const last = task ? await forms.post(url, { do: 'email', email, task: solve(task) }, attacker) : first
      answers.push(last.text)
      const browser = { ...attacker, cookie: cookieOf(last) }
      for (let tries = 0; tries < 5; tries += 1) await forms.post(url, { do: 'code', code: '000000' }, browser)
    }
    assert.ok((await mailsSent()) - before <= most + mostGuesses / 5, 'each dead code is worth a warning')
    assert.equal(answers.filter((text) => text.includes('from your network')).length, emails.length - most)
    assert.equal(solved, emails.length - free, 'each e-mail beyond the threshold costs a task')
    const [guessed] = await lookup<{ wrong: number }>(
      exchange,
      'select coalesce(sum(tries), 0)::int as wrong from one_time_codes',
      [],
    )
    assert.ok((guessed?.wrong ?? 0) <= mostGuesses, `${guessed?.wrong} guesses`)
    assert.ok(ctx().security.count('code_lockout') > 0, 'an alarm')
  })

  it('gets no e-mail for an answer that served before, or is none', async () => {
    const forms = formsOn(exchange)
    const network = from('203.0.113.77')
    await setWork({ per_network: 1, in_all: 3_000, bits: 16 })
    const first = await create(exchange)
    await forms.post(first.redirect_url, { do: 'email', email: 'first@example.com' }, network)
    const { redirect_url: url } = await create(exchange)
    const email = 'second@example.com'
    const asked = await forms.post(url, { do: 'email', email }, network)
    assert.equal(asked.status, 400)
    assert.match(asked.text, /your browser solves a short task first/)
    const task = taskOn(asked.text) ?? assert.fail('no task')
    assert.equal(task.bits, 16)
    const before = await mailsSent()
    for (const answer of ['', 'x', ' 1', '1e3', '1'.repeat(5_000)])
      assert.equal((await forms.post(url, { do: 'email', email, task: answer }, network)).status, 400)
    const foreign = { challenge: task.challenge.toUpperCase(), bits: task.bits }
    assert.equal((await forms.post(url, { do: 'email', email, task: `${solve(foreign)}.` }, network)).status, 400)
    assert.equal(await mailsSent(), before)
    const sent = await forms.post(url, { do: 'email', email, task: solve(task) }, network)
    assert.equal(sent.status, 303)
    assert.equal(await mailsSent(), before + 1)
    const next = await forms.get(url, { ...network, cookie: cookieOf(sent) })
    assert.notEqual(taskOn(next.text)?.challenge, task.challenge)
    await setWork(undefined)
  })

  it('keeps no owner of an address from an order of their own', async () => {
    const forms = formsOn(exchange)
    const email = emails[0] ?? ''
    const { redirect_url: url } = await create(exchange)
    const owner = from('198.51.100.7')
    const cookie = cookieOf(await forms.post(url, { do: 'email', email }, owner))
    const code = await codeFor(exchange, email)
    const entered = await forms.post(url, { do: 'code', code, accepts: shownTerms }, { ...owner, cookie })
    assert.equal(entered.status, 303)
    assert.match(cookieOf(entered), /=/)
  })
})

/** Puts another rule of tasks in force, or the shipped one. */
async function setWork(rule: { per_network: number; in_all: number; bits: number } | undefined): Promise<void> {
  const { document } = ctx().policies.at(ctx().clock.now(), 'caps')
  const { one_time_codes: codes } = document as { one_time_codes: object }
  const work = rule ?? { per_network: 30, in_all: 3_000, bits: 16 }
  const changed = { ...(document as object), one_time_codes: { ...codes, proof_of_work: work } }
  await putInForce(ctx(), { kind: 'caps', document: changed })
}

it('the policy decides how many guesses a code has', async () => {
  const { document } = ctx().policies.at(ctx().clock.now(), 'caps')
  const codes = (document as { one_time_codes: object }).one_time_codes
  await putInForce(ctx(), {
    kind: 'caps',
    document: { ...(document as object), one_time_codes: { ...codes, guesses_per_code: 2 } },
  })
  const forms = formsOn(exchange)
  const { redirect_url: url } = await create(exchange)
  const email = 'two.tries@example.com'
  const network = from('192.0.2.44')
  const here = { ...network, cookie: cookieOf(await forms.post(url, { do: 'email', email }, network)) }
  const right = await codeFor(exchange, email)
  const wrong = right === '000000' ? '000001' : '000000'
  for (let tries = 0; tries < 2; tries += 1) await forms.post(url, { do: 'code', code: wrong }, here)
  assert.notEqual((await forms.post(url, { do: 'code', code: right, accepts: shownTerms }, here)).status, 303)
})
