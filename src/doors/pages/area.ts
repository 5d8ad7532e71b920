import type { Readable } from 'node:stream'

import type { Ctx } from '../../exchange/context.ts'
import type { Assets } from './assets.ts'
import type { RefusedForm } from './form.tsx'

/** A whole page, or a file to download. */
export type PageContent = { body: string | Readable; type?: string; headers?: Record<string, string> }

/** What every request of somebody who is signed in comes with. */
export type AreaVisit = {
  ctx: Ctx
  assets: Assets
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** Without the query. */
  path: string
  /** The token that forms of this page carry. */
  csrf: string
  /** The form of this page that was just refused. */
  refused?: RefusedForm | undefined
  /** What the form that was sent last has done, in a sentence. */
  said?: string | undefined
  /** What it has made, and is shown this once. */
  secrets?: Secrets | undefined
}

type Secrets = readonly (readonly [name: string, text: string])[]

/** What a form has led to: a page that follows, with a sentence on what was done; its page again, with what is shown once; a page or a file. */
export type Outcome = { to: string; said?: string } | { said: string; secrets: Secrets } | PageContent

export type AreaPage<Visit extends AreaVisit> = {
  path: string
  show(visit: Visit): Promise<PageContent>
  /** The part of it that a script shows again and again. */
  renewed?(visit: Visit): Promise<PageContent>
  /** Takes the page's form. What it changes is changed through the visit's `ctx`, whose first block uses the form up. */
  act?(visit: Visit & { form: URLSearchParams }): Promise<Outcome>
}
