import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { inviteOperator } from '../../src/exchange/operators/invitation.ts'
import { invitePortalUser } from '../../src/exchange/partners/portal-users.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

const password = 'a horse on the stairs'

describe('a link that somebody was e-mailed, in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  const ctx = () => exchange.service.composition.ctx
  const people: Record<'console' | 'portal', (email: string) => Promise<{ url: string }>> = {
    console: (email) => inviteOperator(ctx(), { email, name: 'New', role: 'support' }, 'cli:test'),
    portal: (email) =>
      invitePortalUser(ctx(), { partnerId: BigInt(exchange.sandbox.partner_id), email, role: 'admin' }, 'cli:test'),
  }
  for (const [area, invite] of Object.entries(people))
    it(`lets an invited person into the ${area}`, async () => {
      const email = `new-${area}@example.com`
      const { url } = await invite(email)
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(url)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(`${exchange.url}/${area}/sign-in`)
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${exchange.url}/${area}`)
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
      await context.close()
    })
})
