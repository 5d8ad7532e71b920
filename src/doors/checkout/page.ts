import type { VNode } from 'preact'

import type { WayToPay } from '../../exchange/orders/checkout-view.ts'
import type { SavedDestination } from '../../exchange/orders/earlier-addresses.ts'
import type { Language } from '../../platform/language/language.ts'
import type { ShownProblem } from '../ui/problem.ts'
import type { Look } from './layout.tsx'
import type { Legal } from './legal.ts'
import type { Notices } from './notices.ts'
import type { PayAids } from './pay-aids.ts'
import type { Visit } from './visit.ts'

/** What every page of an order is rendered from. */
export type PageProps = {
  visit: Visit
  language: Language
  /** The page itself, where its forms are sent. */
  here: string
  /** The order's page without `ask`. Links add to it. */
  home: string
  /** Business time. */
  now: Date
  problems: ShownProblem[]
  /** What the customer typed, to be corrected. Empty when the page is shown for the first time. */
  typed: Record<string, string>
  /** An earlier address of this customer that the typed one resembles. */
  resembled?: string | undefined
  /** Where earlier orders of this customer were paid out, on the page that asks for it. */
  saved?: readonly SavedDestination[]
  notices: Notices
  look: Look
  /** Other payment methods, on the page that lists them. */
  ways: WayToPay[]
  /** The terms that are accepted by continuing. */
  legal: Legal
  /** QR codes and links, on the page with the payment details. */
  aids: PayAids
}

/** A page's title and content. */
export type Page = { title: string; body: VNode }
