import assert from 'node:assert/strict'

import type { Page as ShownPage } from 'playwright-core'

import { pages as consolePages } from '../../src/doors/console/pages.ts'
import { pages as portalPages } from '../../src/doors/portal/portal.ts'
import { addAuthenticator } from './authenticator.ts'
import { actionsOf, growth, type RowReader } from './every-table.ts'
import { type Filled, placeOf, quieten } from './filled-exchange.ts'
import { lookup } from './journey.ts'
import { actionOf, formsIn, type PageForm } from './page-forms.ts'
import { askedBy, messageOf, signInTo } from './plain-walkers.ts'
import { type ShownForm, type StaffForm, staffForms, typedInto } from './staff-forms.ts'

/** Shows pages to somebody who is signed in at both areas, and sends their forms. */
export type Walker = {
  open(path: string): Promise<string>
  /** Sends one form of the page that is shown; `at` counts the page's forms. Gives the page that it leads to. Fails if it is refused. */
  press(form: PageForm, at: number, values: Readonly<Record<string, string>>): Promise<string>
}

/** The routes of the pages that people see, each with its pages. */
const routesOf = ({ places }: Filled): [route: string, pages: readonly string[]][] =>
  [...consolePages, ...portalPages]
    .map(({ path }) => path)
    .filter((path) => !path.endsWith('.csv') && !path.endsWith('/journal'))
    .map((route) => [route, places[route] ?? [route]])

const nameOf = (route: string, form: PageForm): string => `${route} ${actionOf(form)}`
/** Signing out is not an action of the page. */
const isOwn = (form: PageForm): boolean => actionOf(form) !== ''

/** What each form has left behind, and the names of all forms that were seen on the way. */
export type Walk = {
  left: Map<string, Record<string, number>>
  /** By which actions the audit's entries were made that a form left. */
  actions: Map<string, (string | null)[]>
  seen: Set<string>
  problems: string[]
}

/** Sends every form of `staffForms`, each once or as the walker does, and looks at every page before and after. */
export async function walkForms(filled: Filled, walker: Walker, rows: RowReader): Promise<Walk> {
  const walk: Walk = { left: new Map(), actions: new Map(), seen: new Set(), problems: [] }
  const memory = new Map<string, string>()
  const routes = new Map(routesOf(filled))
  const lookAtAll = async () => {
    for (const [route, pages] of routes) for (const path of pages) await look(walker, walk, route, path)
  }
  await lookAtAll()
  let isQuiet = false
  let before = await rows.read()
  for (const one of staffForms) {
    if (!one.isLive && !isQuiet) {
      await quieten(filled)
      before = await rows.read()
    }
    isQuiet ||= !one.isLive
    // The last ones end the sessions.
    if (one === staffForms.at(-2)) await lookAtAll()
    const [route = ''] = one.name.split(' ')
    const pages = routes.get(route) ?? []
    try {
      if (one.plant !== undefined) {
        await lookup(filled.exchange, one.plant)
        before = await rows.read()
      }
      const shown = await found(walker, walk, { one, route, pages, shown: { body: '', filled, memory } })
      assert.ok(shown, 'No page has this form.')
      await send(walker, one, shown)
      const after = await rows.read()
      const grown = growth(before, after)
      if (!one.isLive) walk.actions.set(one.name, await actionsOf(filled.exchange, grown['public.audit'] ?? 0))
      before = after
      if (one.mend !== undefined) {
        await lookup(filled.exchange, one.mend)
        before = await rows.read()
      }
      const orders = 'public.transactions'
      walk.left.set(one.name, one.isLive ? { [orders]: grown[orders] ?? 0 } : grown)
    } catch (error) {
      walk.problems.push(`${one.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return walk
}

/** Opens a page, and notes which forms it has. */
async function look(walker: Walker, walk: Walk, route: string, path: string): Promise<[body: string, PageForm[]]> {
  const body = await walker.open(path)
  return [body, noted(walk, route, body, path)]
}

function noted({ seen }: Walk, route: string, body: string, path: string): PageForm[] {
  const forms = formsIn(body, path)
  for (const form of forms) if (isOwn(form)) seen.add(nameOf(route, form))
  return forms
}

type Wanted = { one: StaffForm; route: string; pages: readonly string[]; shown: ShownForm }
type Found = { form: PageForm; at: number; shown: ShownForm }

/** The first page that has a form, which is shown then. */
async function found(walker: Walker, walk: Walk, { one, route, pages, shown }: Wanted): Promise<Found | undefined> {
  for (const path of pages) {
    let [body, forms] = await look(walker, walk, route, path)
    const leading = staffForms.find(({ name }) => name === one.through)
    if (leading) {
      const first = formIn(forms, leading, route)
      if (!first) continue
      body = await send(walker, leading, { ...first, shown: { ...shown, body } })
      forms = noted(walk, route, body, path)
    }
    const form = formIn(forms, one, route)
    if (form) return { ...form, shown: { ...shown, body } }
  }
  return undefined
}

function formIn(forms: readonly PageForm[], { name, is, about }: StaffForm, route: string) {
  const isAbout = ({ fields }: PageForm) => about === undefined || fields.some(({ value }) => value === about)
  const all = forms
    .map((form, at) => ({ form, at }))
    .filter(({ form }) => nameOf(route, form) === name && isAbout(form))
  return is === 'last' ? all.at(-1) : all[0]
}

function send(walker: Walker, one: StaffForm, { form, at, shown }: Found): Promise<string> {
  const typed = Object.entries(typedInto(one, shown)).filter(([name]) => form.fields.some((own) => own.name === name))
  return walker.press(form, at, Object.fromEntries(typed))
}

/** Fills in and sends each form in a browser, once, as somebody would. */
export async function browserWalker(filled: Filled, page: ShownPage): Promise<Walker> {
  const base = placeOf(filled.exchange)
  const cookies = await signInTo(filled)
  await page
    .context()
    .addCookies(
      Object.entries(cookies).map(([name, pair]) => ({ name, value: pair.slice(name.length + 1), url: base })),
    )
  const authenticator = await virtualAuthenticator(page, filled)
  return {
    open: async (path) => {
      await page.goto(base + path)
      return page.content()
    },
    press: async (form, at, values) => {
      await authenticator.getReadyFor(form)
      await page.evaluate(() => {
        for (const folded of document.querySelectorAll('details')) folded.open = true
      })
      // Each posted form has one button, or one for each of its actions, as `formsIn` counts them.
      const button = page.locator('form[method="post"] button[type="submit"]').nth(at)
      await button.evaluate((one) => (one as HTMLButtonElement).form?.setAttribute('data-walked', ''))
      const own = page.locator('form[data-walked]')
      for (const [name, value] of Object.entries(values)) {
        const field = own.locator(`[name="${name}"]`)
        const kind = await field.evaluate((one) => (one instanceof HTMLInputElement ? one.type : one.tagName))
        if (kind === 'SELECT') await field.selectOption(value)
        else if (kind !== 'hidden') await field.fill(value)
      }
      const shown = page.waitForEvent('load').then(
        () => page.content(),
        () => '',
      )
      const answered = page.waitForResponse((one) => one.request().method() === 'POST')
      await button.click()
      const answer = await answered
      if (answer.status() >= 400) {
        await shown
        assert.fail(`${form.path} ${actionOf(form)}: ${answer.status()} ${messageOf(await page.content())}`)
      }
      // A file is downloaded, and the page stays.
      return 'content-disposition' in answer.headers() ? '' : shown
    },
  }
}

/** An authenticator that has the passkey of the sandbox's operator, except while another one is to be made. */
async function virtualAuthenticator(page: ShownPage, { passkey }: Filled) {
  const { tools, authenticatorId } = await addAuthenticator(page)
  const credential = {
    credentialId: passkey.credential.toString('base64'),
    isResidentCredential: true,
    rpId: 'localhost',
    privateKey: passkey.privateKey.toString('base64'),
    userHandle: Buffer.from('1').toString('base64'),
  }
  // It counts on where it was: one that counts fewer uses than before is taken for a copy.
  let signCount = 1
  const give = () => tools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } })
  const take = async () => {
    const { credentials } = await tools.send('WebAuthn.getCredentials', { authenticatorId })
    const own = credentials.find(({ credentialId }) => credentialId === credential.credentialId)
    signCount = own?.signCount ?? signCount
    await tools.send('WebAuthn.clearCredentials', { authenticatorId })
  }
  await give()
  return {
    getReadyFor: async ({ fields }: PageForm): Promise<void> => {
      const asked = askedBy(fields)
      if (asked === undefined) return
      await take()
      if (!('user' in (JSON.parse(asked) as object))) await give()
    },
  }
}
