import { badField, Refusal } from '../../../platform/lib/refusal.ts'
import { findCountry } from '../../../reference/catalog/country.ts'
import { resolve } from '../../availability/resolve.ts'
import type { Rule } from '../../availability/rule.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../../transactions/policy.ts'
import { methodForCountry, switchMethod } from '../change-price.ts'
import type { OrderStep } from '../step.ts'

type CountryDetails = { country?: string; depositMethod?: string }

/** Where the customer lives. It must be served, and reached by the ways to pay and be paid; another way to pay is chosen if needed. */
export const country = {
  name: 'country',
  details: ['country'],
  changeable: 'until_complete',
  isMissing: (_ctx, transaction) => transaction.country === null,
  async apply(input, { country: code = '', depositMethod }) {
    const { ctx, partner } = input
    const found = findCountry(code)
    if (!found) throw badField('country', 'Choose a country.')
    const other = depositMethod === undefined ? methodForCountry(input, code) : undefined
    const change = other === undefined ? {} : await switchMethod(input, other, code)

    const outcome = resolve(momentOf(ctx, ctx.clock.now()), termsOfPartner(partner), {
      ...askOfTransaction({ ...input.transaction, ...change }),
      country: found.alpha2,
    })
    const problem = outcome.available ? undefined : outcome.failures.find(({ rule }) => rules.has(rule))?.problem
    if (problem) throw new Refusal('COUNTRY_NOT_SUPPORTED', problem.message, [{ ...problem, path: 'country' }])
    return { ...change, country: found.alpha2 }
  },
} as const satisfies OrderStep<CountryDetails>

const rules: ReadonlySet<Rule> = new Set<Rule>([
  'the country is served',
  'the deposit method reaches the country',
  'the payout method reaches the country',
])
