import { priceNow, switchMethod } from '../change-price.ts'
import type { OrderStep } from '../step.ts'

type MethodDetails = {
  /** A deposit method by type (`SEPA_1`), instead of the current one. */
  depositMethod?: string
  /** Asks for a new price if the current one has expired. */
  renewsPrice?: boolean
  country?: string
}

/** How the customer pays, and at what price. An order always has a method, so this is never missing. */
export const method = {
  name: 'method',
  details: ['depositMethod', 'renewsPrice'],
  changeable: 'until_paid',
  isMissing: () => false,
  apply: (input, { depositMethod, renewsPrice, country }) =>
    renewsPrice === true
      ? priceNow(input)
      : depositMethod === undefined
        ? {}
        : switchMethod(input, depositMethod, country),
} as const satisfies OrderStep<MethodDetails>
