import { isIncomplete } from '../transactions/lifecycle.ts'
import type { Ctx } from '../context.ts'
import type { Change } from '../transactions/advance.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { OrderStep, StepInput } from './step.ts'
import { billing } from './steps/billing.ts'
import { code } from './steps/code.ts'
import { country } from './steps/country.ts'
import { email } from './steps/email.ts'
import { identity } from './steps/identity.ts'
import { method } from './steps/method.ts'
import { payoutAddress } from './steps/payout-address.ts'
import { terms } from './steps/terms.ts'

/** Everything a customer gives before they can pay, in the order in which the checkout asks for it and applies it. */
export const orderSteps = [email, code, terms, method, country, billing, payoutAddress, identity] as const

/** A step's name, which its page shares. */
export type StepName = (typeof orderSteps)[number]['name']

type DetailsOf<Step> = Step extends { apply(input: StepInput, details: infer One): unknown }
  ? (one: One) => void
  : never

/** What a customer gives at the checkout: the details of every step, each optional. */
export type Details = DetailsOf<(typeof orderSteps)[number]> extends (all: infer All) => void ? All : never

const steps: readonly OrderStep<Details>[] = orderSteps

/** The steps that an order still lacks, in the order in which they are asked. */
export const missingSteps = (ctx: Pick<Ctx, 'config'>, transaction: Transaction): StepName[] =>
  orderSteps.filter((step) => step.isMissing(ctx, transaction)).map(({ name }) => name)

/** Validates details and returns what they change. Refuses invalid input, naming the field. */
export async function applyDetails(input: Omit<StepInput, 'transaction'>, details: Details): Promise<Change> {
  const change: Change = {}
  for (const step of steps.filter((one) => one.details.some((name) => details[name] !== undefined))) {
    const transaction = { ...input.before, ...change }
    Object.assign(change, await step.apply?.({ ...input, transaction }, details))
  }
  return change
}

/**
 * Whether an order can still take these details. Once payment details are shown and until money arrives, the way to pay, the billing
 * information and the destination can be changed; after a payout was returned, only the destination.
 */
export function takesDetails({ kind, status, statusDetails }: Transaction, details: Details): boolean {
  if (kind === 'b2b') return false
  if (isIncomplete({ status })) return true
  const isReturned = status === 'on_hold' && statusDetails === 'address_needed'
  const isUnpaid = status === 'waiting_for_deposit' && statusDetails === null
  const open = isReturned ? ['until_paid_out'] : isUnpaid ? ['until_paid', 'until_paid_out'] : []
  const names = Object.keys(details)
  const allowed = steps.filter(({ changeable }) => open.includes(changeable)).flatMap((step) => step.details)
  return names.length > 0 && names.every((name) => allowed.some((one) => one === name))
}
