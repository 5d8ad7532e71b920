import assert from 'node:assert/strict'

import type { Exchange } from './exchange.ts'
import { typedAt } from './page-forms.ts'

/** What a page answered; `retryAfter` and `location` are headers. */
export type Seen = { status: number; body: string; location: string; retryAfter: string }

/** What a person does with a browser. */
export type PersonBrowser = {
  cookies: Map<string, string>
  ask(path: string, form?: Record<string, string>): Promise<Seen>
  signIn(form: Record<string, string>): Promise<Seen>
  /** Sends a form of a page, with the token that the page carries. */
  press(path: string, form: Record<string, string>): Promise<Seen>
}

/** A browser that keeps cookies and comes from a network of its own. The exchange trusts this machine as its proxy. */
export function personBrowser(
  { url }: Pick<Exchange, 'url'>,
  network = '203.0.113',
  cookies = new Map<string, string>(),
): PersonBrowser {
  const ask = async (path: string, form?: Record<string, string>): Promise<Seen> => {
    const response = await fetch(url + path, {
      redirect: 'manual',
      ...(form ? { method: 'POST', body: typedAt(path, form) } : {}),
      headers: {
        'x-forwarded-for': `${network}.9`,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })
    for (const line of response.headers.getSetCookie()) {
      assert.match(line, /; Path=\/; HttpOnly; SameSite=Lax/)
      const [, name = '', value = ''] = /^([\w-]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return {
      status: response.status,
      body: await response.text(),
      location: response.headers.get('location') ?? '',
      retryAfter: response.headers.get('retry-after') ?? '',
    }
  }
  return {
    cookies,
    ask,
    signIn: (form: Record<string, string>) => ask('/console/sign-in', form),
    press: async (path: string, form: Record<string, string>) => {
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await ask(path)).body) ?? []
      return ask(path, { csrf, ...form })
    },
  }
}
