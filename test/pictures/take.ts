import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { languages } from '../../src/platform/language/language.ts'
import { launchBrowser } from '../support/browser.ts'
import { projectFolder } from '../support/source.ts'
import { capture } from './capture.ts'
import { takeConsole } from './console.ts'
import { useOwnFonts } from './fonts.ts'
import { ourPaths, playedPaths, serveGallery } from './gallery.ts'
import { themedPaths } from './themes.ts'

type Device = 'phone' | 'desktop'
type Scheme = 'light' | 'dark'

/** Phones have two pixels to a point; a desktop's picture is shown smaller than it is anyway. */
const devices: Record<Device, BrowserContextOptions> = {
  phone: { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 },
  desktop: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
}

/** What the documentation shows, in its order, by the road that it belongs to: phones in light, desktops in dark. */
const documented: readonly [road: string, path: string, device: Device, extent?: 'whole'][] = [
  ['calculator', '/calculator/buy', 'phone'],
  ['calculator', '/calculator/wide', 'desktop'],
  ['start', '/checkout/email', 'phone'],
  ['start', '/checkout/code', 'phone'],
  ['start', '/checkout/payout-address', 'phone'],
  ['card-buy', '/checkout/pay', 'phone'],
  ['card-buy', '/checkout/pay', 'desktop', 'whole'],
  ['card-buy', '/checkout/sending', 'phone'],
  ['card-buy', '/checkout/done', 'phone'],
  ['sepa-buy', '/checkout/transfer-sepa', 'phone', 'whole'],
  ['sepa-buy', '/checkout/transfer-sepa', 'desktop', 'whole'],
  ['sell', '/checkout/account-iban', 'phone'],
  ['sell', '/checkout/coin-btc', 'phone', 'whole'],
  ['sell', '/checkout/coin-btc', 'desktop', 'whole'],
  ['sell', '/checkout/done-money', 'phone'],
  ['swap', '/checkout/coin-memo', 'phone', 'whole'],
  ['swap', '/checkout/coin-memo', 'desktop', 'whole'],
  ['swap', '/checkout/done-swap', 'phone'],
  ['endings', '/checkout/decide-late', 'phone'],
  ['endings', '/checkout/expired', 'phone'],
]

const { values } = parseArgs({ options: { out: { type: 'string' }, only: { type: 'string', default: '' } } })
const inDocs = join(projectFolder, 'docs/pictures')

await useOwnFonts()
const app = serveGallery()
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const browser = await launchBrowser()
try {
  if (values.out === undefined) await takeDocumented(browser)
  else await takeAll(browser, values.out, values.only)
} finally {
  await browser.close()
  await app.close()
}

/** In English, into a folder that holds nothing else. */
async function takeDocumented(browser: Browser): Promise<void> {
  await rm(inDocs, { recursive: true, force: true })
  await mkdir(inDocs, { recursive: true })
  for (const [device, scheme] of [['phone', 'light'] as const, ['desktop', 'dark'] as const]) {
    const page = await openPage(browser, device, scheme)
    for (const [road, path, , extent] of documented.filter(([, , one]) => one === device))
      await take(page, `/en${path}`, join(inDocs, `${road}-${path.split('/').at(-1)}-${device}.webp`), extent)
    await page.context().close()
  }
  await takeConsole(browser, inDocs)
}

/** Every page in every language, on both devices, in both schemes: a folder for each language. */
async function takeAll(browser: Browser, out: string, only: string): Promise<void> {
  const paths = [
    ...languages.flatMap((tag) => ourPaths.map((path) => `/${tag}${path}`)),
    ...playedPaths,
    ...themedPaths,
  ]
  for (const device of ['phone', 'desktop'] as const)
    for (const scheme of ['light', 'dark'] as const) {
      const page = await openPage(browser, device, scheme)
      for (const path of paths.filter((one) => one.includes(only))) {
        const [, folder = '', ...rest] = path.split('/')
        await mkdir(join(out, folder), { recursive: true })
        await take(page, path, join(out, folder, `${rest.join('-')}-${device}-${scheme}.webp`), 'whole')
      }
      await page.context().close()
    }
}

async function openPage(browser: Browser, device: Device, colorScheme: Scheme): Promise<Page> {
  const context = await browser.newContext({ ...devices[device], colorScheme, reducedMotion: 'reduce' })
  await context.clock.install({ time: 0 })
  await context.clock.pauseAt(1_000)
  return context.newPage()
}

async function take(page: Page, path: string, file: string, extent: 'whole' | undefined): Promise<void> {
  await page.goto(url + path)
  await capture(page, file, extent)
}
