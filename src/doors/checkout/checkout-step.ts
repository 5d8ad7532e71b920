import type { Ctx } from '../../exchange/context.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import type { Page, PageProps } from './page.ts'
import type { Visit } from './visit.ts'

/** The fields of a form, by name. Absent fields are empty. */
export type Fields = Record<string, string>

/** A form that was sent from a page in the language `locale`; `zone` is the browser's time zone, if known. */
export type SentForm = {
  ctx: Ctx
  visit: Visit
  fields: Fields
  locale: string
  zone?: string | undefined
  /** Of the browser, for counting. */
  network: string
  device?: string | undefined
}

/** Where the browser goes after a form: to `redirect`, to the page it came from (`stays`), or to the order's page. `token`: its session; `mark`: it has
 * asked for a code; `claim`: the address that was typed; `device`: an address was proven in it. */
export type ActionResult = {
  redirect?: string
  stays?: boolean
  token?: string
  mark?: string
  claim?: string
  device?: string
}

/** What a form does. Refuses invalid input, naming the field. */
export type Action = (form: SentForm) => Promise<ActionResult>

/** A page of the checkout: a file in steps/, listed in steps.ts. Something to give has its rules in exchange/orders/steps/. */
export type CheckoutStep = {
  /** The part of the progress bar; absent on pages of an order that has stopped. */
  readonly phase?: 'details' | 'payment' | 'delivery'
  page(props: PageProps): Page
  /** The fields of its form; absent if nothing is typed on the page. Problems are shown at the field they belong to. */
  readonly fields?: readonly string[]
  /** What its forms do, by the value of their `do` field. */
  readonly actions?: Readonly<Record<string, Action>>
  /** Its forms are accepted from visitors, who prove an email address by them and change nothing else. */
  readonly isPublic?: true
  /** Checks one field while the form is being filled in, and refuses what `actions` would refuse. */
  checkField?(form: Pick<SentForm, 'ctx' | 'visit' | 'fields'>, field: string): Promise<void>
  /** The field that takes an address on a chain, and the asset that is sent there. */
  addressField?(visit: Pick<Visit, 'view' | 'choices'>): { field: string; listing: Listing } | undefined
  /** Whether a customer who is past this step can go back to it (`?ask=` its name). */
  mayReopen?(view: CheckoutView): boolean
}
