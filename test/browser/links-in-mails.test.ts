import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { mailNeeds, setNeedMail } from '../../src/exchange/needs/mail-needs.ts'
import { inviteOperator } from '../../src/exchange/operators/invitation.ts'
import { listOperators } from '../../src/exchange/operators/operator.ts'
import { createPortalUser, invitePortalUser, resetPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { heading, openPage, phones } from '../support/checkout-browser.ts'
import { createBuy } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, lookup } from '../support/journey.ts'
import { old } from '../support/need-plants.ts'
import { makeOperators, password } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

describe('a link that somebody was e-mailed, in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
    await makeOperators(exchange)
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  const ctx = () => exchange.service.composition.ctx
  const partnerId = () => BigInt(exchange.sandbox.partner_id)
  const byUs = 'cli:test'

  /** The link in the newest e-mail to an address that has one like this, as the sandbox shows its e-mails. */
  async function linkTo(email: string, like: RegExp): Promise<string> {
    const found: string[] = []
    await until(async () => {
      const shown = await (await fetch(`${exchange.url}/sandbox/mail`)).text()
      const own = shown.split('<article>').filter((one) => one.includes(`to ${email},`))
      const links = own.flatMap((one) => [...one.matchAll(/http[^\s"<>]+/g)].map(([link]) => link))
      found.push(...links.map((link) => link.replaceAll('&amp;', '&')).filter((link) => like.test(link)))
      return found.length > 0
    }, `an e-mail to ${email}`)
    return found[0] ?? ''
  }
  async function signIn(page: Page, area: string, email: string, own: string): Promise<void> {
    await page.waitForURL(({ pathname }) => pathname === `/${area}/sign-in`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(own)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${exchange.url}/${area}`)
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
  }
  /** Opens a link with which somebody chooses a password, and signs in with it. */
  async function choosePassword(area: string, email: string): Promise<void> {
    const page = await openPage(browser, await linkTo(email, new RegExp(`/${area}/invitation/`)), {})
    await page.getByLabel('Password').fill('a horse at the window')
    await page.getByRole('button', { name: 'Save' }).click()
    await signIn(page, area, email, 'a horse at the window')
    await page.context().close()
  }

  it('lets an invited person into the console', async () => {
    const email = 'new-console@example.com'
    await inviteOperator(ctx(), { email, name: 'New', role: 'support' }, byUs)
    await choosePassword('console', email)
  })

  it('lets an invited person into the portal', async () => {
    const email = 'new-portal@example.com'
    await invitePortalUser(ctx(), { partnerId: partnerId(), email, role: 'admin' }, byUs)
    await choosePassword('portal', email)
  })

  it('lets a person of a partner choose another password', async () => {
    const email = 'forgetful@example.com'
    await createPortalUser(ctx(), { partnerId: partnerId(), email, role: 'member', password }, byUs)
    await resetPortalUser(ctx(), { partnerId: partnerId(), email }, byUs)
    await choosePassword('portal', email)
  })

  it('proves a customer’s address in the browser that asked for the code, and in no other', async () => {
    const { url } = await createBuy(exchange)
    const email = 'code-by-link@example.com'
    const page = await openPage(browser, url, phones.with)
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await heading(page, 'Enter your code')
    const link = await linkTo(email, /&link=/)
    const elsewhere = await openPage(browser, link, phones.with)
    await heading(elsewhere, 'Confirm your email')
    const own = await page.context().newPage()
    await own.goto(link)
    await heading(own, 'Before you continue')
    for (const one of [page, elsewhere]) await one.context().close()
  })

  it('shows the receipt of an order', async () => {
    const { id } = await buy(exchange)
    const link = await linkTo(`customer-${id}@sandbox.invalid`, /\/receipt\//)
    const page = await openPage(browser, link, phones.without)
    await page.getByText(`R-${id}`).first().waitFor()
    await page.context().close()
  })

  it('leads an operator to what needs them', async () => {
    const email = 'admin@example.com'
    const { id } = (await listOperators(ctx())).find((one) => one.email === email) ?? assert.fail('no operator')
    const halt = `insert into halts (scope, name, since, reason) values ('rail', 'sandbox-btc', ${old('1 min')}, 'A drill.')`
    await lookup(exchange, halt)
    await setNeedMail(ctx(), id, { about: 'now', timeZone: 'UTC' })
    const realNow = () => new Date(Date.now() + 180_000)
    for (const clock of [ctx().clock, { ...ctx().clock, realNow }]) await mailNeeds({ ...ctx(), clock })
    const page = await openPage(browser, await linkTo(email, /\/console$/), {})
    await signIn(page, 'console', email, password)
    await page.getByText('Nothing is credited or paid by sandbox-btc: A drill.').waitFor()
    await lookup(exchange, 'delete from halts')
    await page.context().close()
  })
})
