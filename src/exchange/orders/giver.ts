import { Refusal } from '../../platform/lib/refusal.ts'
import { isSameEmail } from '../customers/email.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Details } from './steps.ts'

/**
 * Who gives details of an order: the customer whose email address is proven in this browser, or undefined for a visitor, who has nothing
 * but the link.
 *
 * This file alone tells apart whose an order's facts are: the email address, the name, the billing information and the payout
 * destination. As long as nobody has proven the email address (`customerId` is null), all of them are the partner's and bind. Afterwards
 * they are the customer's. A visitor has none: nothing that a visitor types is stored before the address is proven.
 */
export type Giver = bigint | undefined

type Subject = Pick<Transaction, 'customerId' | 'personal'>

/**
 * The order's email address: the proven one, or the one that the partner passed. Earlier versions let a visitor replace the partner's;
 * what was passed along with it still names the right one.
 */
export const emailOf = ({ customerId, personal }: Subject): string | null =>
  customerId === null ? (personal.destinationEmail ?? personal.billingEmail ?? personal.email) : personal.email

/** What a visitor may give, besides a proof of the email address. */
const visitorDetails: ReadonlySet<string> = new Set<keyof Details>(['renewsPrice'])

/** Refuses what a visitor may not give, and a proof of another address than the partner passed. */
export function refuseUnproven(transaction: Subject, details: Details, giver: Giver): void {
  const { email, provenCustomerId } = details
  const isProof = giver !== undefined && giver === provenCustomerId
  if (isProof) {
    const passed = transaction.customerId === null ? emailOf(transaction) : null
    if (passed !== null && email !== undefined && !isSameEmail(passed, email)) throw notProven()
  } else if (giver === undefined || giver !== transaction.customerId) {
    if (Object.keys(details).some((name) => !visitorDetails.has(name))) throw notProven()
  }
}

/** The answer to a visitor who tries to change an order. */
export const notProven = (): Refusal =>
  new Refusal('NOT_PROVEN', 'Confirm the email address of this order first. Until then, nothing in it can be changed.')
