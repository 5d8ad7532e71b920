import { basisPoints, fieldsOf, json, plain, wrong } from './setting-value.ts'
import type { Terms } from './terms.ts'

/** The most that a commission may be, 20 percent. */
const mostBasisPoints = 2_000

/** Reads a file of fees: `commission_percent`. What the house asks of this partner's exchanges is a policy. */
export function readFees(text: string): Pick<Terms, 'commissionBasisPoints'> {
  const names = ['commission_percent', 'schedules', 'b2b_schedules'] as const
  const given = fieldsOf(json(text, 'fees'), 'fees', names)
  if (given.schedules !== undefined || given.b2b_schedules !== undefined) {
    throw wrong('fees', 'price lists are policies: use policy propose fees FILE --partner ID, or b2b for its own.')
  }
  if (given.commission_percent === undefined) throw wrong('fees', 'commission_percent is missing.')
  return {
    commissionBasisPoints: basisPoints(plain(given.commission_percent), 'fees.commission_percent', mostBasisPoints),
  }
}
