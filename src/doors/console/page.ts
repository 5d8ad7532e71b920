import type { Readable } from 'node:stream'

import type { Ctx } from '../../exchange/context.ts'
import type { Permission } from '../../exchange/operators/roles.ts'
import type { SignedIn } from '../../exchange/operators/session.ts'
import type { Assets } from './assets.ts'

/** Where operators set up their second factor and see their sessions. */
export const accountPath = '/console/account'

/** One request of an operator who is signed in. */
export type Visit = {
  ctx: Ctx
  assets: Assets
  operator: SignedIn
  may(permission: Permission): boolean
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** Without the query. */
  path: string
}

/** A whole page, or a file to download. */
export type PageContent = { body: string | Readable; type?: string; headers?: Record<string, string> }

/** One page of the console. A new one is a file with such an object, and a line in `pages.ts`. */
export type Page = {
  path: string
  /** The permission to see it; undefined: every operator may. What a form does checks its own. */
  needs: Permission | undefined
  show(visit: Visit): Promise<PageContent>
  /** Takes the page's form, and says which page follows, or shows the page again. */
  act?(visit: Visit & { form: URLSearchParams }): Promise<{ to: string } | { body: string }>
}
