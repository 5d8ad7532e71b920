import type { VNode } from 'preact'

import type { WayToPay } from '../../exchange/orders/checkout-view.ts'
import type { Language } from '../../platform/language/language.ts'
import type { ShownProblem } from '../ui/problem.ts'
import type { Look } from './frame.tsx'
import type { Legal } from './legal.ts'
import type { Notices } from './notices.ts'
import type { PayAids } from './pay-aids.ts'
import type { Visit } from './visit.ts'

/** What every page of an order is made of. */
export type PageProps = {
  visit: Visit
  language: Language
  /** Where forms of this page are sent: the page itself. */
  here: string
  /** The order's own page, whatever is asked for. Links add to it. */
  home: string
  /** Business time. */
  now: Date
  problems: ShownProblem[]
  /** What the customer has typed, to be mended. Empty on a page that is shown for the first time. */
  typed: Record<string, string>
  /** An address of this customer's that the typed one resembles, and is not. */
  resembled?: string | undefined
  notices: Notices
  /** How the partner wants its pages to look. */
  look: Look
  /** Other ways to pay, where they are asked for. */
  ways: WayToPay[]
  /** What is accepted by going on, as links that this page may have. */
  legal: Legal
  /** What makes paying easier, on the page that says where to. */
  aids: PayAids
}

/** What stands on a page, and what the page is called. */
export type Page = { title: string; body: VNode }
