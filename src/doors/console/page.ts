import type { Permission } from '../../exchange/operators/roles.ts'
import type { SignedIn } from '../../exchange/operators/session.ts'
import { type Acting, grouping } from '../pages/actions.tsx'
import type { AreaPage, AreaVisit } from '../pages/area.ts'

/** Where operators set up their second factor and see their sessions. */
export const accountPath = '/console/account'

/** Where operators add the keys that they approve with, and countersign those of others. */
export const keysPath = '/console/passkeys'

/** One request of an operator who is signed in. */
export type Visit = AreaVisit & {
  operator: SignedIn
  may(permission: Permission): boolean
  acting: Acting
}

/** One page of the console. A new one is a file with such an object, and a line in `pages.ts`. */
export type Page = AreaPage<Visit> & {
  /** The permission to see it; undefined: every operator may. What a form does checks its own. */
  needs: Permission | undefined
}

/** A visit that sends a form of its page. */
export type FormVisit = Visit & { form: URLSearchParams }

/** Actions of a page of the console. */
export const group = grouping<FormVisit>()
