import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { base32 } from '@scure/base'

import { beginSecondFactor, confirmSecondFactor, createOperator } from '../../src/exchange/operators/operator.ts'
import { totpCode } from '../../src/exchange/operators/totp.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { personBrowser } from '../support/person-browser.ts'
import { asOwner } from '../support/server.ts'

const password = 'a horse on the stairs'
let exchange: Exchange
before(async () => {
  exchange = await startExchange({ TRUSTED_PROXIES: '127.0.0.1' })
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
let people = 0
const newOperator = (role = 'viewer') =>
  createOperator(ctx(), { email: `person${(people += 1)}@example.com`, password, role }, 'cli:test')

const browser = (network?: string, cookies?: Map<string, string>) => personBrowser(exchange, network, cookies)

/** Sets up a second factor, and gives its codes: the present one, and those of later steps. */
async function secondFactorOf({ id, email }: { id: bigint; email: string }) {
  const { text } = await beginSecondFactor(ctx(), { operatorId: id, email })
  const secret = Buffer.from(base32.decode(text))
  const step = BigInt(Math.trunc(Date.now() / 30_000))
  const recovery = await confirmSecondFactor(ctx(), id, totpCode(secret, step))
  // Otherwise what comes next would have to wait for the next code, or begin with one that may be too old.
  await asOwner(exchange.ownerUrl, (client) =>
    client.query('update operators set totp_step = 1 where id = $1', [String(id)]),
  )
  return { recovery, code: totpCode(secret, step), later: totpCode(secret, step + 1n) }
}

describe('limits of signing in', () => {
  it('do not keep an operator out whom somebody in another network attacks', async () => {
    const { email } = await newOperator()
    const attacker = browser('198.51.100')
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal((await attacker.signIn({ email, password: 'wrong' })).status, 401)
    }
    const stopped = await attacker.signIn({ email, password })
    assert.equal(stopped.status, 429)
    const seconds = Number.parseInt(stopped.retryAfter, 10)
    assert.ok(seconds > 800 && seconds <= 900)
    assert.equal((await browser().signIn({ email, password })).status, 303)
  })

  it('are not used up by attempts that were refused: one network cannot keep an operator out of a new browser', async () => {
    const { email } = await newOperator()
    const attacker = browser('198.51.108')
    const seen = await Promise.all(Array.from({ length: 120 }, () => attacker.signIn({ email, password: 'wrong' })))
    assert.equal(seen.filter(({ status }) => status === 401).length, 5)
    assert.equal((await browser('192.0.3').signIn({ email, password })).status, 303)
  })

  it('hold for many attempts at once', async () => {
    const { email } = await newOperator()
    const attacker = browser('198.51.101')
    const seen = await Promise.all(Array.from({ length: 20 }, () => attacker.signIn({ email, password: 'wrong' })))
    assert.equal(seen.filter(({ status }) => status === 401).length, 5)
    assert.equal(seen.filter(({ status }) => status === 429).length, 15)
  })

  it('leave an operator’s own browser in, when an address is attacked from everywhere', async () => {
    const { email } = await newOperator()
    const own = browser()
    assert.equal((await own.signIn({ email, password })).status, 303)
    const networks = Array.from({ length: 20 }, (_, index) => browser(`100.64.${index}`))
    await Promise.all(
      networks.flatMap((one) => Array.from({ length: 5 }, () => one.signIn({ email, password: 'wrong' }))),
    )
    assert.equal((await browser('192.0.2').signIn({ email, password })).status, 429, '100 a day, from all networks')
    const stolen = new Map(own.cookies)
    assert.equal((await own.signIn({ email, password })).status, 303)
    const other = await newOperator()
    assert.equal((await browser('198.51.102', stolen).signIn({ email: other.email, password: 'x' })).status, 401)
    for (let tries = 0; tries < 4; tries += 1) {
      await browser('198.51.102', new Map(stolen)).signIn({ email: other.email, password: 'x' })
    }
    const counted = await browser('198.51.102', new Map(stolen)).signIn({ email: other.email, password })
    assert.equal(counted.status, 429, 'a browser is known for its own address only')
  })

  it('say nothing about who is an operator', async () => {
    const { email } = await newOperator()
    const answersTo = async (address: string, network: string) => {
      const answers: unknown[] = []
      for (let tries = 0; tries < 7; tries += 1) {
        const { status, body } = await browser(network).signIn({ email: address, password: 'wrong' })
        // Every page has its own challenge for a passkey, and every form its own token.
        const alike = body.replaceAll(/(name="(?:challenge|once)" value=|data-passkey=)"[^"]*"/g, '')
        answers.push([status, alike.replaceAll(address, 'ADDRESS')])
      }
      return answers
    }
    assert.deepEqual(await answersTo(email, '198.51.103'), await answersTo('nobody@example.com', '198.51.104'))
  })

  it('do not count what was right', async () => {
    const { email } = await newOperator()
    const own = browser('198.51.105')
    for (let times = 0; times < 8; times += 1) {
      own.cookies.clear()
      assert.equal((await own.signIn({ email, password: 'wrong' })).status, 401)
      assert.equal((await own.signIn({ email, password })).status, 303)
    }
  })
})

describe('the code of the second factor', () => {
  it('is asked for on a page that holds no password, and completes this browser’s sign-in once', async () => {
    const made = await newOperator()
    const { code, later } = await secondFactorOf(made)
    const own = browser()
    const asked = await own.signIn({ email: made.email, password })
    assert.equal(asked.status, 401)
    assert.match(asked.body, /name="code"/)
    assert.ok(!asked.body.includes(password) && !asked.body.includes('name="password"'))
    const copied = new Map(own.cookies)
    assert.equal((await browser().signIn({ code })).status, 401, 'a code alone opens nothing')
    assert.equal((await own.signIn({ code })).status, 303)
    assert.equal((await own.ask('/console')).status, 200)
    assert.equal(own.cookies.has('console-pending'), false)
    assert.equal((await browser('203.0.113', copied).signIn({ code: later })).status, 401, 'it was used')
  })

  it('is no longer taken five minutes after the password', async () => {
    const made = await newOperator()
    const { code } = await secondFactorOf(made)
    const own = browser()
    await own.signIn({ email: made.email, password })
    await asOwner(exchange.ownerUrl, (client) =>
      client.query(`update pending_sign_ins set created_at = created_at - interval '5 minutes'`),
    )
    assert.equal((await own.signIn({ code })).status, 401)
  })

  it('cannot be guessed: five wrong ones have to wait, whatever browser tries', async () => {
    const made = await newOperator()
    const { code } = await secondFactorOf(made)
    const attacker = browser('198.51.106')
    await attacker.signIn({ email: made.email, password })
    const guesses = Array.from({ length: 12 }, (_, index) => String(100_000 + index))
    const seen = await Promise.all(guesses.map((guess) => attacker.signIn({ code: guess })))
    assert.equal(seen.filter(({ status }) => status === 401).length, 5)
    assert.equal((await attacker.signIn({ code })).status, 429)
  })

  it('is replaced by a recovery code, each once, until new ones are made', async () => {
    const made = await newOperator()
    const { recovery, code } = await secondFactorOf(made)
    assert.equal(new Set(recovery).size, 10)
    const [first = '', second = '', third = ''] = recovery
    const own = browser()
    assert.equal((await own.signIn({ email: made.email, password, code: first.toUpperCase() })).status, 303)
    assert.equal((await browser().signIn({ email: made.email, password, code: first })).status, 401)
    await own.signIn({ email: made.email, password })
    assert.equal((await own.signIn({ code: second.replace('-', '') })).status, 303)
    assert.match((await own.ask('/console/account')).body, /8 of your recovery codes are left/)
    const renewed = await own.press('/console/account', { action: 'renew-codes', code })
    const codes = [...renewed.body.matchAll(/<code>([a-z2-7]{5}-[a-z2-7]{5})<\/code>/g)].map(([, one = '']) => one)
    assert.equal(codes.length, 10)
    assert.equal((await browser().signIn({ email: made.email, password, code: third })).status, 401)
    assert.equal((await browser().signIn({ email: made.email, password, code: codes[0] ?? '' })).status, 303)
    const [stored] = await asOwner(exchange.ownerUrl, async (client) => {
      const { rows } = await client.query<{ text: string }>(
        `select string_agg(encode(hash, 'hex'), ' ') as text from recovery_codes`,
      )
      return rows
    })
    assert.ok(!codes.some((one) => stored?.text.includes(Buffer.from(one).toString('hex'))))
  })

  it('cannot be guessed by whoever took over a session, and replacing the app needs one', async () => {
    const made = await newOperator()
    const { code, later } = await secondFactorOf(made)
    const own = browser()
    await own.signIn({ email: made.email, password, code })
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal((await own.press('/console/account', { action: 'remove-factor', code: '123456' })).status, 401)
    }
    assert.equal((await own.press('/console/account', { action: 'remove-factor', code: later })).status, 429)
    assert.match((await own.ask('/console/account')).body, /An authenticator app is set up/)
  })
})

describe('an operator’s account', () => {
  it('gets a session that nobody has fixed beforehand', async () => {
    const { email } = await newOperator()
    const fixed = 'x'.repeat(43)
    const victim = browser('203.0.113', new Map([['console', fixed]]))
    await victim.signIn({ email, password })
    assert.notEqual(victim.cookies.get('console'), fixed)
    assert.equal((await browser('203.0.113', new Map([['console', fixed]])).ask('/console')).status, 303)
  })

  it('changes its password with the present one, and its other sessions end', async () => {
    const { email } = await newOperator()
    const [own, other] = [browser(), browser()]
    await own.signIn({ email, password })
    await other.signIn({ email, password })
    const next = 'three boats in a jar'
    const change = (form: Record<string, string>) => own.press('/console/account', { action: 'password', ...form })
    assert.equal((await change({ present: 'wrong', next })).status, 401)
    assert.equal((await change({ present: password, next: 'short' })).status, 400)
    assert.match((await change({ present: password, next })).body, /The password was changed/)
    assert.equal((await other.ask('/console')).status, 303)
    assert.equal((await own.ask('/console')).status, 200)
    assert.equal((await browser().signIn({ email, password })).status, 401)
    assert.equal((await browser().signIn({ email, password: next })).status, 303)
  })
})
