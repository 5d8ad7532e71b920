import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { createOperator } from '../../src/exchange/operators/operator.ts'
import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { type Person, somebodyWith } from '../support/authenticator.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { placeOf } from '../support/filled-exchange.ts'
import { lookup } from '../support/journey.ts'
import { personBrowser } from '../support/person-browser.ts'
import { password } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

const added = {
  console: (page: Page) => page.getByRole('region', { name: 'Table: Your keys' }),
  portal: (page: Page) => page.getByRole('region', { name: 'Table: Your passkeys' }),
} as const
const keysAt = { console: '/console/passkeys', portal: '/portal/account' } as const
type Area = keyof typeof keysAt

describe('a passkey of somebody who signs in', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ TRUSTED_PROXIES: '127.0.0.1' }), launchBrowser()])
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  const ctx = () => exchange.service.composition.ctx
  const place = (path: string): string => placeOf(exchange) + path
  const partnerId = () => BigInt(exchange.sandbox.partner_id)

  async function typePassword(page: Page, area: Area, email: string, typed = password): Promise<void> {
    await page.goto(place(`/${area}/sign-in`))
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(typed)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  async function signOut(page: Page, area: Area): Promise<void> {
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await page.waitForURL(place(`/${area}/sign-in`))
  }

  async function useAt(page: Page, area: Area): Promise<void> {
    await page.goto(place(`/${area}/sign-in`))
    await page.getByRole('button', { name: 'Use a passkey' }).click()
  }

  /** Somebody new who has signed in with the password and added a passkey. */
  async function withPasskey(area: Area, email: string): Promise<Person> {
    if (area === 'console') await createOperator(ctx(), { email, password }, 'test')
    else await createPortalUser(ctx(), { partnerId: partnerId(), email, password, role: 'admin' }, 'test')
    const person = await somebodyWith(browser)
    const { page } = person
    await typePassword(page, area, email)
    await page.waitForURL(place(`/${area}`))
    await page.goto(place(keysAt[area]))
    await add(page, password)
    await added[area](page).getByText('laptop', { exact: true }).waitFor()
    return person
  }

  async function add(page: Page, typed: string): Promise<void> {
    const form = page.getByRole('region', { name: 'Add a passkey' })
    await form.getByLabel('Name').fill('laptop')
    await form.getByLabel('Present password').fill(typed)
    await form.getByRole('button', { name: 'Add a passkey' }).click()
  }

  it('of a partner signs in without a password, and the password alone opens nothing any more', async () => {
    const { page, context } = await withPasskey('portal', 'ann@one.example')
    await signOut(page, 'portal')
    await typePassword(page, 'portal', 'ann@one.example')
    await page.getByText('If you have a passkey, use it.').waitFor()
    await useAt(page, 'portal')
    await page.waitForURL(place('/portal'))
    // It is a passkey of the portal only.
    await useAt(page, 'console')
    await page.getByText('This passkey does not open the console.').waitFor()
    await context.close()
  })

  it('of a partner is added and ended with the present password: a stolen session is not enough', async () => {
    const email = 'bob@one.example'
    await createPortalUser(ctx(), { partnerId: partnerId(), email, password, role: 'member' }, 'test')
    const { page, context } = await somebodyWith(browser)
    await typePassword(page, 'portal', email)
    await page.waitForURL(place('/portal'))
    await page.goto(place('/portal/account'))
    await add(page, 'a guess of a thief')
    await page.locator('#present-add-problem').waitFor()
    const keys = () =>
      lookup(
        exchange,
        `select 1 from portal_passkeys join portal_users on portal_users.id = user_id where email = $1 and ended_at is null`,
        [email],
      )
    assert.equal((await keys()).length, 0)
    await add(page, password)
    const row = added.portal(page).getByRole('row', { name: /laptop/ })
    await row.getByLabel('Present password').fill('a guess of a thief')
    await row.getByRole('button', { name: 'End: laptop' }).click()
    await row.getByText('The present password is wrong.').waitFor()
    assert.equal((await keys()).length, 1)
    const change = page.locator('form', { has: page.getByRole('button', { name: 'Change the password' }) })
    await change.getByLabel('Present password').fill('a guess of a thief')
    await change.getByLabel('New password').fill('another horse on the stairs')
    await change.getByRole('button').click()
    await change.getByText('The present password is wrong.').waitFor()
    await row.getByLabel('Present password').fill(password)
    await row.getByRole('button', { name: 'End: laptop' }).click()
    await page.getByText('You have no passkey yet.').waitFor()
    await signOut(page, 'portal')
    await typePassword(page, 'portal', email)
    await page.waitForURL(place('/portal'))
    await context.close()
  })

  it('that was lost is replaced by a new link of an administrator, which ends it and every session', async () => {
    const lost = await withPasskey('portal', 'cleo@one.example')
    const admin = await somebodyWith(browser)
    const { portal } = exchange.sandbox
    await typePassword(admin.page, 'portal', portal.email, portal.password)
    await admin.page.waitForURL(place('/portal'))
    await admin.page.goto(place('/portal/team'))
    await admin.page
      .getByRole('row', { name: /cleo@one.example/ })
      .getByText('Send a new link')
      .first()
      .click()
    await admin.page.getByRole('button', { name: 'Send a new link: cleo@one.example' }).click()
    let link = ''
    await until(async () => {
      link = /\/portal\/invitation\/[\w-]{43}/.exec(await admin.page.locator('main').innerText())?.[0] ?? ''
      return link !== ''
    }, 'the link')
    await lost.page.goto(place('/portal/account'))
    await added.portal(lost.page).waitFor()
    const fresh = await somebodyWith(browser)
    await fresh.page.goto(place(link))
    await fresh.page.getByLabel('Password').fill('another horse on the stairs')
    await fresh.page.getByRole('button', { name: 'Save' }).click()
    await fresh.page.waitForURL(place('/portal/sign-in'))
    await typePassword(fresh.page, 'portal', 'cleo@one.example', 'another horse on the stairs')
    await fresh.page.waitForURL(place('/portal'))
    await lost.page.reload()
    await lost.page.waitForURL(/\/portal\/sign-in/)
    await useAt(lost.page, 'portal')
    await lost.page.getByText('This passkey does not open the portal.').waitFor()
    await Promise.all([lost, admin, fresh].map(({ context }) => context.close()))
  })

  for (const area of ['console', 'portal'] as const)
    it(`is refused at the ${area} as a copy where it counts fewer uses than before, and the audit says so`, async () => {
      const owner = await withPasskey(area, `copied-${area}@example.com`)
      const thief = await somebodyWith(browser)
      const { authenticatorId } = owner.authenticator
      const { credentials } = await owner.authenticator.tools.send('WebAuthn.getCredentials', { authenticatorId })
      const [credential] = credentials
      assert.ok(credential)
      const opens = async () => {
        await signOut(owner.page, area)
        await useAt(owner.page, area)
        await owner.page.waitForURL(place(`/${area}`))
      }
      await opens()
      await opens()
      const own = { authenticatorId: thief.authenticator.authenticatorId, credential }
      await thief.authenticator.tools.send('WebAuthn.addCredential', own)
      await useAt(thief.page, area)
      await thief.page.getByText('There may be a copy of this passkey').waitFor()
      const action = area === 'console' ? 'operator.passkey_copied' : 'portal_user.passkey_copied'
      assert.equal((await lookup(exchange, 'select 1 from audit where action = $1', [action])).length, 1)
      await opens()
      await Promise.all([owner.context.close(), thief.context.close()])
    })

  for (const area of ['console', 'portal'] as const)
    it(`opens the ${area} whatever strangers guess, and so does a browser in which its owner was before`, async () => {
      const email = `guessed-${area}@example.com`
      const { page, context } = await withPasskey(area, email)
      await signOut(page, area)
      const wrong = { email, password: 'a guess of a stranger' }
      // More than are allowed for one address in a day, from more networks than one.
      await Promise.all(
        Array.from({ length: 21 }, (_, at) => personBrowser(exchange, `100.66.${at}`)).flatMap((one) =>
          Array.from({ length: 5 }, () => one.ask(`/${area}/sign-in`, wrong)),
        ),
      )
      const elsewhere = personBrowser(exchange, '192.0.2')
      assert.equal((await elsewhere.ask(`/${area}/sign-in`, { email, password })).status, 429)
      await typePassword(page, area, email)
      await page
        .getByText(area === 'portal' ? /If you have a passkey, use it/ : /Code from your authenticator app/)
        .waitFor()
      // Without the cookie of a known browser, too.
      await context.clearCookies()
      await useAt(page, area)
      await page.waitForURL(place(`/${area}`))
      await context.close()
    })
})
