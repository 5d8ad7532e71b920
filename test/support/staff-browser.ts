import assert from 'node:assert/strict'

import { createOperator } from '../../src/exchange/operators/operator.ts'
import { type Role, roles } from '../../src/exchange/operators/roles.ts'
import type { Exchange } from './exchange.ts'
import { typedAt } from './page-forms.ts'

/** The password of every operator of `makeOperators`. */
export const password = 'a horse on the stairs'

/** Makes an operator of each role: `support@example.com` and so on. */
export async function makeOperators({ service }: Exchange): Promise<void> {
  const { ctx } = service.composition
  for (const role of roles) {
    await createOperator(ctx, { email: `${role}@example.com`, password, role, name: `The ${role}` }, 'cli:test')
  }
}

/** A page, or a redirect, as a browser without JavaScript gets it. */
export type Seen = { status: number; body: string; headers: Headers }

type Asking = { cookie?: string; form?: Record<string, string>; headers?: Record<string, string> }

/** Browsers of operators; each is a cookie. */
export function staffBrowser(of: () => Exchange) {
  async function ask(path: string, { cookie, form, headers = {} }: Asking = {}): Promise<Seen> {
    const response = await fetch(of().url + path, {
      redirect: 'manual',
      ...(form ? { method: 'POST', body: typedAt(path, form) } : {}),
      headers: { ...(cookie === undefined ? {} : { cookie }), ...headers },
    })
    return { status: response.status, body: await response.text(), headers: response.headers }
  }

  async function signIn(email: string, more: Record<string, string> = {}): Promise<string> {
    const seen = await ask('/console/sign-in', { form: { email, password, ...more } })
    assert.equal(seen.status, 303, seen.body)
    assert.equal(seen.headers.get('location'), '/console')
    const [cookie = ''] = (seen.headers.get('set-cookie') ?? '').split(';')
    assert.match(seen.headers.get('set-cookie') ?? '', /^console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax, /)
    return cookie
  }

  return {
    ask,
    signIn,
    as: (role: Role): Promise<string> => signIn(`${role}@example.com`),
    /** Sends a form of a page, with the token that the page carries. */
    press: async (path: string, cookie: string, form: Record<string, string>): Promise<Seen> => {
      const page = await ask(path, { cookie })
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? []
      return ask(path, { cookie, form: { csrf, ...form } })
    },
  }
}

/** A page's path with what it is about. */
export function placeOf(path: string, about: { order: string; partner: string; customer: string }): string {
  const id = path.includes('partners') ? about.partner : path.includes('customers') ? about.customer : about.order
  return path.replace(':id', id).replace(':kind', 'fees')
}
