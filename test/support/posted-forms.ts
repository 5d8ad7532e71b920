import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { BrowserContext } from 'playwright-core'

/** Where the processes of a run note which forms browsers have sent. */
const fileIn = (run: string): string => join(run, 'posted-forms')

/** A form that was sent: where to, and what it says that it does. */
export type FormPost = { path: string; does: string }

/** Notes the forms that a browser sends, where a run asks for it. */
export function notePosts(context: BrowserContext): void {
  const { TEST_QUEUE: run } = process.env
  if (run === undefined) return
  context.on('request', (request) => {
    if (request.method() !== 'POST') return
    const fields = new URLSearchParams(request.postData() ?? '')
    const posted: FormPost = {
      path: new URL(request.url()).pathname,
      does: fields.get('do') ?? fields.get('action') ?? '',
    }
    appendFileSync(fileIn(run), `${JSON.stringify(posted)}\n`)
  })
}

/** What the browsers of a run have sent; undefined where there was no browser. */
export function postedIn(run: string): FormPost[] | undefined {
  if (!existsSync(fileIn(run))) return undefined
  const lines = new Set(readFileSync(fileIn(run), 'utf8').trim().split('\n'))
  return [...lines].map((line) => JSON.parse(line) as FormPost)
}
