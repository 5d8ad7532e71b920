import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Partner } from '../partners/partner.ts'
import type { Change } from '../transactions/advance.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** An order that is being completed: `before` as it is stored, `transaction` with the changes of the steps before this one. */
export type StepInput = { ctx: Ctx; db: Atomic; partner: Partner; before: Transaction; transaction: Transaction }

/**
 * Something a customer gives at the checkout before they can pay. Each step is a file in steps/, listed in steps.ts; its page has
 * the same name in doors/checkout/steps/. `Details` are the fields it reads, which may include another step's.
 */
export type OrderStep<Details = object> = {
  readonly name: string
  /** The fields that belong to this step. */
  readonly details: readonly (keyof Details)[]
  /** Until when they can be changed: until payment details are shown, until money arrives, or again after a payout was returned. */
  readonly changeable: 'until_complete' | 'until_paid' | 'until_paid_out'
  isMissing(ctx: Pick<Ctx, 'config'>, transaction: Transaction): boolean
  /** Validates what was given and returns what it changes. Refuses invalid input, naming the field. */
  apply?(input: StepInput, details: Details): Change | Promise<Change>
}
