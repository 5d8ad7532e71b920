import { startExchange } from './exchange.ts'
import { type FormPost, postedIn } from './posted-forms.ts'
import { type Route, routesOf } from './routes.ts'
import { staffForms } from './staff-forms.ts'

/** Addresses that take POST and that no form is sent to, each by how it begins, and why. */
export const noForms: Readonly<Record<string, string>> = {
  '/v1/': 'Programs of partners call it.',
  '/callbacks/': 'Processors and other providers call it.',
}

/** Addresses whose forms all do the same thing. */
export const singleForms: readonly string[] = [
  '/checkout/check',
  '/console/invitation/:token',
  '/console/passkeys/sign-in',
  '/console/sign-in',
  '/console/sign-out',
  '/portal/invitation/:token',
  '/portal/passkeys/sign-in',
  '/portal/sign-in',
  '/portal/sign-out',
  '/sandbox/pay',
]

/** A form that a service takes: what it is called, and the addresses that it may be sent to. `does` is empty where all forms do the same. */
type FormRoute = { name: string; does: string; patterns: RegExp[] }

const language = /^\/:locale(\([^)]*\))?(?=\/)/

/** The forms that routes take: one for each address, or for each thing that the forms there say that they do. */
export function formsOf(routes: readonly Route[]): FormRoute[] {
  const posts = routes.filter(
    ({ method, url }) => method === 'POST' && !Object.keys(noForms).some((start) => url.startsWith(start)),
  )
  const nameOf = ({ url }: Route): string => url.replace(language, '')
  return [...new Set(posts.map(nameOf))].flatMap((path) => {
    const all = posts.filter((one) => nameOf(one) === path)
    const own = staffForms.filter(({ name }) => name.split(' ')[0] === path).map(({ name }) => name.split(' ')[1] ?? '')
    const does = new Set([...all.flatMap(({ config }) => config?.does ?? []), ...own])
    const patterns = all.map(({ url }) => new RegExp(`^${url.replace(/:\w+(\([^)]*\))?/g, '[^/]+')}$`))
    return [...(does.size === 0 ? [''] : does)].map((one) => ({ name: `${path} ${one}`.trim(), does: one, patterns }))
  })
}

/** Those that are not among what was sent. */
export const unpostedAmong = (forms: readonly FormRoute[], posted: readonly FormPost[]): string[] =>
  forms
    .filter(
      ({ does, patterns }) =>
        !posted.some((one) => (does === '' || one.does === does) && patterns.some((pattern) => pattern.test(one.path))),
    )
    .map(({ name }) => name)
    .toSorted()

/**
 * The forms of a sandbox that no browser has sent in a run; undefined where there was no browser.
 *
 * @public for `bin/test.js`.
 */
export async function unpostedForms(run: string): Promise<string[] | undefined> {
  const posted = postedIn(run)
  if (posted === undefined) return undefined
  const exchange = await startExchange()
  const forms = formsOf(await routesOf(exchange.service))
  await exchange.stop()
  return unpostedAmong(forms, posted)
}
