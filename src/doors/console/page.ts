import type { Permission } from '../../exchange/operators/roles.ts'
import type { SignedIn } from '../../exchange/operators/session.ts'
import type { AreaPage, AreaVisit } from '../pages/area.ts'

/** Where operators set up their second factor and see their sessions. */
export const accountPath = '/console/account'

/** One request of an operator who is signed in. */
export type Visit = AreaVisit & {
  operator: SignedIn
  may(permission: Permission): boolean
}

/** One page of the console. A new one is a file with such an object, and a line in `pages.ts`. */
export type Page = AreaPage<Visit> & {
  /** The permission to see it; undefined: every operator may. What a form does checks its own. */
  needs: Permission | undefined
}
