import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { BrowserContext } from 'playwright-core'

import { renderStart } from '../../src/sandbox/start/start-page.tsx'
import { ourPaths, serveGallery } from '../pictures/gallery.ts'
import { formsIn, type PageForm } from './page-forms.ts'

/** Where the processes of a run note which forms browsers have sent. */
const fileIn = (run: string): string => join(run, 'posted-forms')

/** Forms of people who are signed in, or sign in: those of their pages have a walk of their own. */
const ofAreas = ['console', 'portal'].flatMap((area) =>
  ['sign-in', 'sign-out', 'passkeys/sign-in', 'invitation/:token'].map((path) => `/${area}/${path}`),
)

/** What a form is called that is sent to an address: its page, and what it does. */
function nameOfPost(url: string, body: string): string {
  const { pathname } = new URL(url, 'http://localhost')
  const path = pathname
    .replace(/^\/[a-z]{2}\/checkout\b/, '/checkout')
    .replace(/^\/calculator\/.*/, '/calculator')
    .replace(/(invitation)\/.*/, '$1/:token')
  const does = new URLSearchParams(body).get('do')
  return does === null ? path : `${path} ${does}`
}

/** Notes the forms that a browser sends, where a run asks for it. */
export function notePosts(context: BrowserContext): void {
  const { TEST_QUEUE: run } = process.env
  if (run === undefined) return
  context.on('request', (request) => {
    if (request.method() !== 'POST') return
    appendFileSync(fileIn(run), `${nameOfPost(request.url(), request.postData() ?? '')}\n`)
  })
}

/** The forms of the checkout, the calculator and the start page, as their pages show them, and those with which people sign in. */
async function formsToPost(): Promise<string[]> {
  const app = serveGallery()
  const paths = ourPaths.filter((path) => /^\/(checkout|calculator)\//.test(path))
  const pages = await Promise.all(
    paths.map(async (path) => [path.replace(/^(\/\w+)\/.*/, '$1'), (await app.inject(`/en${path}`)).body] as const),
  )
  await app.close()
  const secrets = { operator: {}, portal: {} } as never
  const start = {
    sheet: { text: '', source: '' },
    icon: '',
    calls: [],
    events: [],
    apiUrl: '',
    calculator: '',
  } as never
  const scenarios = [{ name: 'x', title: 'x' }] as never
  pages.push(['/', renderStart(Object.assign(start, { secrets, scenarios, notice: undefined }))])
  const names = pages.flatMap(([path, body]) => formsIn(body, path).map((form) => nameIn(path, form)))
  return [...new Set([...names, ...ofAreas])].toSorted()
}

function nameIn(path: string, form: PageForm): string {
  const does = form.fields.findLast(({ name }) => name === 'do')?.value
  return does === undefined ? nameOfPost(form.path, '') : nameOfPost(path, `do=${does}`)
}

/**
 * The forms that no browser has sent in a run; undefined where there was no browser.
 *
 * @public for `bin/test.js`.
 */
export async function unpostedForms(run: string): Promise<string[] | undefined> {
  if (!existsSync(fileIn(run))) return undefined
  const posted = new Set(readFileSync(fileIn(run), 'utf8').split('\n'))
  return (await formsToPost()).filter((name) => !posted.has(name))
}
