import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { base32 } from '@scure/base'
import type { Browser, Page } from 'playwright-core'

import { verify } from '../../src/exchange/checks/verify.ts'
import { createOperator } from '../../src/exchange/operators/operator.ts'
import { totpCode } from '../../src/exchange/operators/totp.ts'
import { type Person, somebodyWith } from '../support/authenticator.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, lookup } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { waitingPayout } from '../support/signing.ts'
import { password } from '../support/staff-browser.ts'

describe('passkeys of operators, in a browser with an authenticator', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  const faults: string[] = []
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
    const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
    await putInForce(ctx(), { kind: 'approvals', document })
    for (const name of ['ann', 'bob']) await createOperator(ctx(), { email: `${name}@example.com`, password }, 'test')
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  const ctx = () => exchange.service.composition.ctx
  /** Passkeys are for names: browsers make none for a number. */
  const place = (path: string): string => exchange.url.replace('127.0.0.1', 'localhost') + path

  async function person(): Promise<Person> {
    const made = await somebodyWith(browser)
    made.page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    return made
  }

  async function typePassword(page: Page, name: string): Promise<void> {
    await page.goto(place('/console/sign-in'))
    await page.getByLabel('E-mail address').fill(`${name}@example.com`)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  /** Fills the form that adds a passkey, and sends it. */
  async function add(page: Page, name: string, typed: string): Promise<void> {
    const form = page.getByRole('region', { name: 'Add a passkey' })
    await form.getByLabel('Name').fill(`laptop of ${name}`)
    await form.getByLabel('Present password').fill(typed)
    await form.getByRole('button', { name: 'Add a passkey' }).click()
  }

  const ownKeys = (page: Page) => page.getByRole('region', { name: 'Table: Your keys' })

  /** Signs in with the password, and adds a passkey. */
  async function withPasskey(name: string): Promise<Person> {
    const made = await person()
    const { page } = made
    await typePassword(page, name)
    await page.waitForURL(place('/console'))
    await page.goto(place('/console/passkeys'))
    await add(page, name, password)
    await ownKeys(page)
      .getByRole('cell', { name: `laptop of ${name}`, exact: true })
      .waitFor()
    return made
  }

  it('sign in without a password, and sign the approval of exactly one payout', async () => {
    const [ann, bob] = [await withPasskey('ann'), await withPasskey('bob')]
    await ann.page.getByRole('button', { name: 'Sign out' }).click()
    await ann.page.waitForURL(place('/console/sign-in'))
    await ann.page.getByRole('button', { name: 'Use a passkey' }).click()
    await ann.page.waitForURL(place('/console'))

    const held = await waitingPayout(exchange)
    const [destination] = await lookup<{ count: string }>(
      exchange,
      `select count(*) from approvals where kind = 'payout'`,
    )
    assert.equal(destination?.count, '0')
    for (const { page } of [ann, bob]) {
      await page.goto(place('/console/money'))
      const waiting = page.getByRole('article', { name: `Payout ${held.payout}` })
      await waiting.getByText('Goes to').waitFor()
      await waiting.getByRole('button', { name: 'Approve' }).click()
      await page.waitForURL(place('/console/money'))
      if (page === ann.page) await waiting.getByText('ann@example.com').waitFor()
    }
    await arrive(exchange, held.id, 'finished')
    const rows = await lookup<{ kind: string; count: string }>(
      exchange,
      `select operator_keys.kind, count(*) from approvals join operator_keys on operator_keys.id = key_id
       where subject = '${held.payout}' group by operator_keys.kind`,
    )
    assert.deepEqual(rows, [{ kind: 'passkey', count: '2' }])
    await approveOwnMoney([ann.page, bob.page])
    assert.deepEqual(await verify(ctx()), [])
    assert.deepEqual(faults, [])
    await Promise.all([ann.context.close(), bob.context.close()])
  })

  /** A transfer between our own accounts takes both, a hedge of the sandbox one. */
  async function approveOwnMoney(pages: Page[]): Promise<void> {
    await lookup(
      exchange,
      `insert into rebalances (id, source, destination, account, asset, amount, reference, state, reason, proposed_by, proposed_at)
       values (71, 'wallet-trx', 'cold', 'cold-trx', 'USDT-TRX', 5000000, 'r-1', 'proposed', 'a test', 'system', now());
       insert into hedges (id, venue, client_order_id, pair, side, base, quote, amount, limit_price, worth, state, reason,
         proposed_by, proposed_at)
       values (72, 'kraken', 'h-1', 'BTC/EUR', 'buy', 'BTC-BTC', 'EUR-EUR', 250000, '90000', 22500, 'proposed', 'a test', 'system', now())`,
    )
    for (const [at, page] of pages.entries()) {
      for (const id of at === 0 ? ['71', '72'] : ['71']) {
        await page.goto(place('/console/money'))
        await page.getByRole('button', { name: `Approve: ${id}` }).click()
        await page.getByRole('status').waitFor()
      }
    }
    const signed = await lookup<{ kind: string; count: string }>(
      exchange,
      `select approvals.kind, count(key_id) from approvals where subject in ('71', '72') group by approvals.kind order by 1`,
    )
    assert.deepEqual(signed, [
      { kind: 'hedge', count: '1' },
      { kind: 'rebalance', count: '2' },
    ])
  }

  it('approve nothing where one counts fewer uses than before: it is a copy, and the audit says so', async () => {
    const owner = await withPasskeyOf('copied')
    const thief = await person()
    const { credentials } = await owner.authenticator.tools.send('WebAuthn.getCredentials', {
      authenticatorId: owner.authenticator.authenticatorId,
    })
    const [credential] = credentials
    assert.ok(credential)
    const own = { authenticatorId: thief.authenticator.authenticatorId, credential }
    await thief.authenticator.tools.send('WebAuthn.addCredential', own)
    await thief.context.addCookies(await owner.context.cookies())
    const [first, second] = [await waitingPayout(exchange), await waitingPayout(exchange)]
    const approveAt = async ({ page }: Person, { payout }: { payout: string }) => {
      await page.goto(place('/console/money'))
      const waiting = page.getByRole('article', { name: `Payout ${payout}` })
      await waiting.getByRole('button', { name: 'Approve' }).click()
      return waiting
    }
    const approvals = () =>
      lookup(exchange, `select 1 from approvals where subject = any($1)`, [[first.payout, second.payout]])
    await (await approveAt(owner, first)).getByText('copied@example.com').waitFor()
    await approveAt(thief, second)
    await thief.page.getByRole('alert').getByText('There may be a copy of this passkey').waitFor()
    assert.equal((await approvals()).length, 1)
    const audited = await lookup<{ after: object }>(
      exchange,
      `select after from audit where action = 'operator.passkey_copied'`,
    )
    assert.deepEqual(audited, [{ after: { passkey: 'laptop of copied' } }])
    await (await approveAt(owner, second)).getByText('copied@example.com').waitFor()
    assert.equal((await approvals()).length, 2)
    await Promise.all([owner.context.close(), thief.context.close()])
  })

  it('are asked for once there is one: a right password alone opens nothing', async () => {
    const { page, context } = await person()
    await typePassword(page, 'ann')
    await page.getByLabel('Code from your authenticator app').waitFor()
    // This authenticator has no passkey of ours: the page says so, and sends nothing.
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('No passkey was used').waitFor()
    await context.close()
  })

  it('answer a challenge once: the same answer opens nothing a second time', async () => {
    const { page, context } = await withPasskeyOf('cleo')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(place('/console/sign-in'))
    const sent = page.waitForRequest((request) => request.url().includes('/console/passkeys/sign-in'))
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    const body = (await sent).postData() ?? assert.fail('nothing was sent')
    await page.waitForURL(place('/console'))
    const send = (form: URLSearchParams): Promise<Response> =>
      fetch(`${exchange.url}/console/passkeys/sign-in`, { method: 'POST', body: form, redirect: 'manual' })
    // The same form leads to where the first one did, and gives no session; the same answer in another form is refused.
    const same = await send(new URLSearchParams(body))
    assert.deepEqual([same.status, same.headers.getSetCookie()], [303, []])
    const other = new URLSearchParams(body)
    other.set('once', 'another-form-of-a-thief')
    const again = await send(other)
    assert.deepEqual([again.status, again.headers.getSetCookie()], [401, []])
    assert.match(await again.text(), /This page is too old/)
    other.set('challenge', other.get('challenge')?.replace(/^\d/, '9') ?? '')
    assert.equal((await send(other)).status, 401)
    await context.close()
  })

  const keysOf = (name: string): Promise<{ name: string }[]> =>
    lookup(
      exchange,
      `select operator_keys.name from operator_keys join operators on operators.id = operator_id where email = $1`,
      [`${name}@example.com`],
    )
  const ends = (name: string): Promise<unknown[]> =>
    lookup(
      exchange,
      `select 1 from approvals join operator_keys on operator_keys.id::text = subject join operators on operators.id = operator_id
       where approvals.kind = 'operator_key_ended' and email = $1`,
      [`${name}@example.com`],
    )

  it('are added and ended with the present password or a code: a stolen session is not enough', async () => {
    await createOperator(ctx(), { email: 'dora@example.com', password }, 'test')
    const { page, context } = await person()
    await typePassword(page, 'dora')
    await page.waitForURL(place('/console'))
    await page.goto(place('/console/passkeys'))
    await add(page, 'dora', 'a guess of a thief')
    await page.locator('#present-add-problem').waitFor()
    assert.deepEqual(await keysOf('dora'), [])
    await add(page, 'dora', password)
    const own = ownKeys(page).getByRole('row', { name: /laptop of dora/ })
    await own.waitFor()
    await own.getByLabel('Present password').fill('a guess of a thief')
    await own.getByRole('button', { name: 'End: laptop of dora' }).click()
    await own.getByText('The present password is wrong.').waitFor()

    // A thief who makes the second factor has no use for the password: that needs it, too.
    const presentStep = () => BigInt(Math.trunc(ctx().clock.realNow().getTime() / 30_000))
    let used = 0n
    await page.goto(place('/console/account'))
    const turnOn = async (typed: string) => {
      const form = page.locator('form', { has: page.getByRole('button', { name: 'Turn on' }) })
      const text = await page.locator('section[aria-labelledby=second] code.wrap').textContent()
      const secret = Buffer.from(base32.decode(text ?? ''))
      await form.getByLabel('Present password').fill(typed)
      used = presentStep()
      await form.getByLabel('Code').fill(totpCode(secret, used))
      await form.getByRole('button', { name: 'Turn on' }).click()
      return secret
    }
    await turnOn('a guess of a thief')
    await page.getByRole('alert').getByText('The present password is wrong.').waitFor()
    const secret = await turnOn(password)
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()

    await page.goto(place('/console/passkeys'))
    await own.getByLabel('Code').fill('000000')
    await own.getByRole('button', { name: 'End: laptop of dora' }).click()
    await own.getByText('This code is wrong').waitFor()
    const cookie = (await context.cookies()).find(({ name }) => name === 'console')
    const values = await own
      .locator('form')
      .evaluate((form) =>
        [...new FormData(form as HTMLFormElement)].map(([name, one]) => [name, typeof one === 'string' ? one : '']),
      )
    const bare = new URLSearchParams(values)
    bare.delete('code')
    bare.set('present', password)
    const headers = { cookie: `console=${cookie?.value ?? ''}` }
    const refused = await fetch(`${exchange.url}/console/passkeys`, { method: 'POST', body: bare, headers })
    assert.equal(refused.status, 401)
    assert.deepEqual(await ends('dora'), [])
    const next = presentStep() > used ? presentStep() : used + 1n
    await own.getByLabel('Code').fill(totpCode(secret, next))
    await own.getByRole('button', { name: 'End: laptop of dora' }).click()
    await own.getByRole('cell', { name: 'ended', exact: true }).waitFor()
    assert.equal((await ends('dora')).length, 1)
    await context.close()
  })

  it('open nothing before they are countersigned, where keys are demanded, and are no second factor until then', async () => {
    const { environment } = ctx().config
    await createOperator(ctx(), { email: 'eve@example.com', password }, 'test')
    ctx().config.environment = { ...environment, operatorKeys: true }
    try {
      const { page, context } = await withPasskey('eve')
      await ownKeys(page)
        .getByRole('cell', { name: /^waits for/ })
        .waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(place('/console/sign-in'))
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.getByText('This passkey waits').waitFor()
      // Its owner is not locked out: the password opens what it did before, and a second factor is still demanded.
      ctx().config.environment = { ...environment, operatorKeys: true, secondFactor: true }
      await typePassword(page, 'eve')
      await page.waitForURL(place('/console/account'))
      await context.close()
    } finally {
      ctx().config.environment = environment
    }
  })

  async function withPasskeyOf(name: string): Promise<Person> {
    await createOperator(ctx(), { email: `${name}@example.com`, password }, 'test')
    return withPasskey(name)
  }
})
