import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { halt } from '../../src/exchange/settlement/halts.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { promised } from '../support/promised.ts'

describe('the first page of the console, while somebody looks at it', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  const ctx = () => exchange.service.composition.ctx
  const rows = (page: Page) => page.locator('tr[data-need="rail"]')

  async function atHome(): Promise<Page> {
    const page = await browser.newPage()
    await page.goto(exchange.url)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.waitForURL(`${exchange.url}/console`)
    return page
  }

  it('shows within ten seconds what needs somebody, and no longer once it is over', async () => {
    const page = await atHome()
    await page.getByText('Nothing needs you.').waitFor()
    const input = page.getByRole('searchbox')
    await input.fill('a search that is being typed')
    const within = { timeout: promised(10_000) }
    await halt(ctx(), { scope: 'payouts', name: '' }, { reason: 'A drill.', actor: 'cli:test' })
    await rows(page).getByText('No payout leaves: A drill.').waitFor(within)
    await rows(page).getByRole('link').focus()
    await halt(ctx(), { scope: 'rail', name: 'sandbox-btc' }, { reason: 'Another drill.', actor: 'cli:test' })
    await rows(page).getByText('Another drill').waitFor(within)
    const focused = page.locator('tr[data-need="rail"] a:focus')
    assert.equal(await focused.count(), 1, 'who is at a link stays there')
    await lookup(exchange, 'delete from halts')
    await page.getByText('Nothing needs you.').waitFor(within)
    assert.equal(await input.inputValue(), 'a search that is being typed', 'the page was not loaded again')
    await page.close()
  })

  it('is no use of the session: one that nobody uses is over after 30 minutes, and the page says so', async () => {
    const page = await atHome()
    const [own] = await lookup<{ id: string }>(exchange, 'select max(id)::text as id from operator_sessions')
    const age = (minutes: number) =>
      lookup(exchange, `update operator_sessions set last_used_at = now() - interval '${minutes} min' where id = $1`, [
        own?.id,
      ])
    await age(20)
    await page.waitForResponse((one) => one.request().headers()['x-renewal'] !== undefined)
    const used = await lookup(
      exchange,
      `select 1 from operator_sessions where id = $1 and last_used_at > now() - interval '10 min'`,
      [own?.id],
    )
    assert.deepEqual(used, [])
    await age(31)
    await page.waitForURL(/\/console\/sign-in/)
    await page.close()
  })
})
