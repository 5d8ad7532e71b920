import assert from 'node:assert/strict'

import { actionOf, formsIn, valuesOf } from './page-forms.ts'
import type { staffBrowser } from './staff-browser.ts'

/** Finds and sends forms of pages, as a browser without JavaScript does. */
export function formSender({ ask }: Pick<ReturnType<typeof staffBrowser>, 'ask'>) {
  /** The forms of a page for an action; `about`: those with this in a hidden field. */
  async function formsOf(path: string, cookie: string, action: string, about = ''): Promise<Record<string, string>[]> {
    const { body } = await ask(path, { cookie })
    return formsIn(body, path)
      .filter((form) => actionOf(form) === action)
      .map(valuesOf)
      .filter((form) => about === '' || Object.values(form).includes(about))
  }

  return {
    formsOf,
    /** Sends the form of a page, and gives the page that follows. */
    async send(path: string, cookie: string, wanted: Record<string, string>): Promise<string> {
      const [form] = await formsOf(path, cookie, wanted.action ?? '', wanted.about)
      assert.ok(form, `${path} has no form for ${wanted.action}`)
      const { about: _, ...typed } = wanted
      const seen = await ask(path, { cookie, form: { ...form, ...typed } })
      assert.deepEqual([seen.status, seen.headers.get('location')], [303, path], seen.body.slice(0, 2_000))
      const [done = ''] = (seen.headers.getSetCookie().find((one) => one.includes('-done=')) ?? '').split(';')
      return (await ask(path, { cookie: `${cookie}; ${done}` })).body
    },
  }
}
