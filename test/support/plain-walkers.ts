import assert from 'node:assert/strict'

import { differing, type RowReader } from './every-table.ts'
import { type Filled, placeOf } from './filled-exchange.ts'
import type { Walker } from './form-walk.ts'
import { actionOf, formsIn, type PageForm, typedAt, valuesOf } from './page-forms.ts'
import { softPasskey } from './soft-passkey.ts'

type Cookies = Readonly<Record<'console' | 'portal', string>>

/** Signs in at both areas as the sandbox's own people: at the console twice, with the passkey. */
export async function signInTo({ exchange, passkey }: Filled): Promise<Cookies> {
  const base = placeOf(exchange)
  const sessionOf = async (area: 'console' | 'portal', path: string, fields: Record<string, string>) => {
    const body = typedAt(path, fields)
    const { headers } = await fetch(base + path, { method: 'POST', body, redirect: 'manual' })
    const all = headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
    return all.find((one) => one.startsWith(`${area}=`)) ?? assert.fail(`no session at the ${area}`)
  }
  const withPasskey = async () => {
    const path = '/console/sign-in'
    const form = formsIn(await (await fetch(base + path)).text(), path).find(
      ({ fields }) => askedBy(fields) !== undefined,
    )
    assert.ok(form)
    const made = passkey.answer(askedBy(form.fields) ?? '')
    return sessionOf('console', form.path, { ...valuesOf(form), passkey: made })
  }
  const atPortal = () => sessionOf('portal', '/portal/sign-in', exchange.sandbox.portal)
  await Promise.all([withPasskey(), atPortal()])
  return { console: await withPasskey(), portal: await atPortal() }
}

/** What a passkey is asked for by a form. */
export const askedBy = (fields: PageForm['fields']): string | undefined =>
  fields.find(({ asked }) => asked !== undefined)?.asked

/** Shows pages and sends forms without a browser, as somebody who is signed in. */
async function sender(filled: Filled, session?: Cookies) {
  const cookies = session ?? (await signInTo(filled))
  const base = placeOf(filled.exchange)
  const cookieFor = (path: string): string => cookies[path.startsWith('/portal') ? 'portal' : 'console']
  const ask = async (path: string, body?: URLSearchParams) => {
    const headers = { cookie: cookieFor(path), origin: base }
    const answer = await fetch(base + path, {
      method: body ? 'POST' : 'GET',
      ...(body ? { body } : {}),
      headers,
      redirect: 'manual',
    })
    const [to, file] = ['location', 'content-disposition'].map((one) => answer.headers.get(one))
    return { status: answer.status, to, file, text: await answer.text() }
  }
  return {
    open: async (path: string) => (await ask(path)).text,
    /** What sends a form, each time with the same token. */
    sending: (form: PageForm, values: Readonly<Record<string, string>>) => {
      const asked = askedBy(form.fields)
      // One that is to be made is another one.
      const { answer } = asked?.includes('"user"') ? softPasskey(base) : filled.passkey
      const signed = asked === undefined ? {} : { passkey: answer(asked) }
      const button = form.fields.filter(({ kind }) => kind === 'button').map(({ name, value }) => [name, value])
      const all = { ...valuesOf(form), ...Object.fromEntries(button), ...values, ...signed } as Record<string, string>
      const name = `${form.path} ${actionOf(form)}`
      assert.ok((all.once ?? '').length > 20, `${name} carries no token`)
      return { name, send: () => ask(form.path, new URLSearchParams(all)) }
    },
  }
}

/** Sends each form without a browser, once. */
export async function plainWalker(filled: Filled, session?: Cookies): Promise<Walker> {
  const { open, sending } = await sender(filled, session)
  return {
    open,
    press: async (form, _at, values) => {
      const { name, send } = sending(form, values)
      const { status, text } = await send()
      assert.ok(status < 400, `${name}: ${status} ${messageOf(text)}`)
      return status === 200 ? text : ''
    },
  }
}

/**
 * Sends each form without a browser: twice at once and once more later, all with the same token. Fails if one of these is answered
 * differently, or if the last one changes a row.
 */
export async function repeatingWalker(filled: Filled, rows: RowReader): Promise<Walker> {
  const { open, sending } = await sender(filled)
  return {
    open,
    press: async (form, _at, values) => {
      const { name, send } = sending(form, values)
      const pair = await Promise.all([send(), send()])
      for (const { status, text } of pair) assert.ok(status < 400, `${name}: ${status} ${messageOf(text)}`)
      // A browser shows only the last answer to a double click.
      const [one, two] = pair.map(({ status, text, file }) => [status, secretsIn(text), file === null ? '' : text])
      assert.deepEqual(two, one, `${name}: what both answers show`)
      const between = await rows.read()
      const third = await send()
      assert.ok(third.status < 400, `${name}, later: ${third.status} ${messageOf(third.text)}`)
      const leading = [...pair, third].filter(({ status }) => status === 303).map(({ to }) => to)
      assert.equal(new Set(leading).size <= 1, true, `${name} leads to ${leading.join(' and ')}`)
      assert.deepEqual(differing(between, await rows.read()), [], `${name}: what the third one changed`)
      return pair.find(({ status }) => status === 200)?.text ?? ''
    },
  }
}

/** What a page shows this once. */
const secretsIn = (text: string): string[] =>
  [...text.matchAll(/<code class="wrap">([^<]+)<\/code>/g)].map(([, secret = '']) => secret)

export const messageOf = (text: string): string =>
  (
    /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1] ??
    /<main[\s\S]*?<p>([\s\S]*?)<\/p>/.exec(text)?.[1] ??
    text.slice(0, 300)
  ).trim()
