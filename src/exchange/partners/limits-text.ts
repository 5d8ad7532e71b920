import type { Side } from '../../reference/catalog/payment-method.ts'
import { amountOrNull, cents, fieldsOf, json, wrong } from './setting-value.ts'
import { type Limits, noLimits, type Terms } from './terms.ts'

const sides: readonly Side[] = ['buy', 'sell', 'swap']

/**
 * Reads a file of limits: `min` and `max` of a customer's exchange, `buy`, `sell` and `swap` with their own where they differ,
 * and `b2b` for the institution's own exchanges. An end that a side leaves out is the account's; one that nobody names has no
 * limit. The file is the whole of it.
 */
export function readLimits(text: string): Pick<Terms, 'limits' | 'limitsBySide' | 'b2bLimits'> {
  const { b2b, min, max, ...given } = fieldsOf(json(text, 'limits'), 'limits', ['min', 'max', ...sides, 'b2b'])
  const limits = bounds({ min, max }, 'limits', noLimits)
  const named = sides.filter((side) => given[side] !== undefined)
  return {
    limits,
    limitsBySide: Object.fromEntries(named.map((side) => [side, bounds(given[side], `limits.${side}`, limits)])),
    b2bLimits: b2b === undefined ? noLimits : bounds(b2b, 'limits.b2b', noLimits),
  }
}

/** Limits in the form that `readLimits` takes. */
export const limitsDocument = ({ limits, limitsBySide, b2bLimits }: Terms) => ({
  ...limits,
  ...limitsBySide,
  ...(b2bLimits.min === null && b2bLimits.max === null ? {} : { b2b: b2bLimits }),
})

function bounds(value: unknown, name: string, others: Limits): Limits {
  const given = fieldsOf(value, name, ['min', 'max'])
  const min = amountOrNull(given.min, `${name}.min`) ?? others.min
  const max = amountOrNull(given.max, `${name}.max`) ?? others.max
  if (min !== null && max !== null && cents(min) > cents(max)) {
    throw wrong(name, 'min must not be greater than max.')
  }
  return { min, max }
}
