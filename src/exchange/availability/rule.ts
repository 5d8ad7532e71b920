import { Refusal } from '../../platform/lib/refusal.ts'
import type { Problem, RefusalCode } from '../../platform/lib/refusal.ts'

/**
 * Every rule of availability, in the order in which a request is refused (wire.md, section 9): first what is missing or
 * ill-formed, then the pair, then the amount, then the country. `code` answers the request, `problem` names the field's fault.
 */
export const rules = {
  'the source currency is given': { code: 'BAD_REQUEST', problem: 'REQUIRED' },
  'the target currency is given': { code: 'BAD_REQUEST', problem: 'REQUIRED' },
  'the amount is an amount': { code: 'BAD_REQUEST', problem: 'INVALID_VALUE' },
  'the country exists': { code: 'BAD_REQUEST', problem: 'INVALID_VALUE' },
  'the source currency is known': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the source currency is on the network': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the target currency is known': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
  'the target currency is on the network': { code: 'PAIR_NOT_AVAILABLE', problem: 'PAIR_NOT_AVAILABLE' },
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

/** The name of a rule: the sentence that must hold. */
export type Rule = keyof typeof rules

/** One rule that a request breaks, and how it is told. */
export type Failure = { rule: Rule; code: RefusalCode; problem: Problem }

/** Says that a rule is broken. `more` carries a range's ends, or another code where a rule has two faces. */
export const broken = (
  rule: Rule,
  path: string,
  message: string,
  more: Partial<Pick<Problem, 'code' | 'min' | 'max'>> = {},
): Failure => ({ rule, code: rules[rule].code, problem: { path, code: rules[rule].problem, message, ...more } })

/** The refusal of a request that breaks these rules: the first one speaks, on estimate and on create alike. */
export const refusalOf = ([{ code, problem }]: Failures): Refusal => new Refusal(code, problem.message, [problem])

const order = Object.keys(rules)

/** Broken rules in the order of `rules`, whatever they were found in; undefined when there are none. */
export function inOrder(failures: readonly Failure[]): Failures | undefined {
  const [first, ...others] = failures.toSorted((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule))
  return first && [first, ...others]
}

/** At least one broken rule, in the order of `rules`. */
export type Failures = readonly [Failure, ...Failure[]]

/** Takes a broken rule down. Judges tell every one they find and go on. */
export type AddFailure = (failure: Failure) => void
