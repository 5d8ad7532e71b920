import { Refusal } from '../../platform/lib/refusal.ts'
import type { Problem, RefusalCode } from '../../platform/lib/refusal.ts'

/**
 * Every rule of availability, in the order in which a request is refused: first what is missing or
 * ill-formed, then the pair, then the amount, then the country. `code` answers the request, `problem` names the field's fault.
 */
export const rules = {
  'the source currency is given': { code: 'BAD_REQUEST', problem: 'REQUIRED' },
  'the target currency is given': { code: 'BAD_REQUEST', problem: 'REQUIRED' },
  'the amount is an amount': { code: 'BAD_REQUEST', problem: 'INVALID_VALUE' },
  'the country exists': { code: 'BAD_REQUEST', problem: 'INVALID_VALUE' },
  'the exchange takes orders': { code: 'SERVICE_UNAVAILABLE', problem: 'HALTED' },
  'the source currency is known': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the source currency is on the network': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the target currency is known': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the target currency is on the network': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the source currency is not halted': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the target currency is not halted': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the two can be exchanged': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the deposit method is open': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the payout method is open': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the deposit method reaches the country': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the payout method reaches the country': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the pair has a fresh price': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the pair has a range': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the amount fits its currency': { code: 'BAD_REQUEST', problem: 'INVALID_VALUE' },
  'the amount is within the range': { code: 'BAD_REQUEST', problem: 'AMOUNT_OUT_OF_RANGE' },
  'the country is served': { code: 'COUNTRY_NOT_SUPPORTED', problem: 'COUNTRY_NOT_SUPPORTED' },
} as const satisfies Record<string, { code: RefusalCode; problem: string }>

/** A rule's name is the sentence that must hold. */
export type Rule = keyof typeof rules

/** A rule that a request breaks, with its error. */
export type Failure = { rule: Rule; code: RefusalCode; problem: Problem }

/** `more` has a range's ends, or another code where a rule can fail in two ways. */
export const broken = (
  rule: Rule,
  path: string,
  message: string,
  more: Partial<Pick<Problem, 'code' | 'min' | 'max'>> = {},
): Failure => ({ rule, code: rules[rule].code, problem: { path, code: rules[rule].problem, message, ...more } })

/** The first failure decides the refusal, of an estimate and of a create alike. */
export const refusalOf = ([{ code, problem }]: Failures): Refusal =>
  new Refusal(code, problem.message, [problem], code === 'SERVICE_UNAVAILABLE' ? haltedForSeconds : undefined)

/** When to ask again while everything is halted. */
export const haltedForSeconds = 60

const order = Object.keys(rules)

/** Failures in the order of `rules`; undefined when the list is empty. */
export function inOrder(failures: readonly Failure[]): Failures | undefined {
  const [first, ...others] = failures.toSorted((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule))
  return first && [first, ...others]
}

/** At least one broken rule, in the order of `rules`. */
export type Failures = readonly [Failure, ...Failure[]]

/** Adds a broken rule. Checks report every one they find. */
export type AddFailure = (failure: Failure) => void
