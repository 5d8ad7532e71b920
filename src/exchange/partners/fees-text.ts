import type { Side } from '../../reference/catalog/payment-method.ts'
import { amountOrNull, basisPoints, cents, fieldsOf, instant, json, plain, wrong } from './setting-value.ts'
import type { AccountFees, Terms } from './terms.ts'

/**
 * The most that a commission, a service fee and a spread may each be, 20 percent. Pricing refuses, as a fault, fees that come
 * to more than half of what is paid: this leaves a tenth for the ways in and out.
 */
export const mostBasisPoints = 2_000

/** The greatest least service fee, in the reference currency. */
const mostMinimum = '1000'

const mostSchedules = 50
const sides: readonly Side[] = ['buy', 'sell', 'swap']

/** Since ever: business time never was before it. */
const beginning = new Date(0)

/**
 * Reads a file of fees: `commission_percent`, and the account's own price lists as far as it has any, `schedules` for customers
 * and `b2b_schedules` for the institution itself. The file is the whole of it: lists that it does not name are gone.
 */
export function readFees(text: string): Pick<Terms, 'commissionBasisPoints' | 'feeSchedules' | 'b2bFeeSchedules'> {
  const names = ['commission_percent', 'schedules', 'b2b_schedules'] as const
  const given = fieldsOf(json(text, 'fees'), 'fees', names)
  if (given.commission_percent === undefined) throw wrong('fees', 'commission_percent is missing.')
  const commission = plain(given.commission_percent)
  const feeSchedules = schedules(given.schedules, 'schedules')
  const b2bFeeSchedules = schedules(given.b2b_schedules, 'b2b_schedules')
  const versions = [...feeSchedules, ...b2bFeeSchedules].map(({ version }) => version)
  const twice = versions.find((version, at) => versions.indexOf(version) < at)
  if (twice !== undefined) throw wrong('fees', `the version ${twice} names two price lists.`)
  return {
    commissionBasisPoints: basisPoints(commission, 'commission_percent', mostBasisPoints),
    feeSchedules,
    b2bFeeSchedules,
  }
}

function schedules(value: unknown, name: string): AccountFees[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > mostSchedules) {
    throw wrong(name, `must be a list of at most ${mostSchedules} price lists.`)
  }
  const read = value.map((one: unknown, at) => schedule(one, `${name}[${at}]`, at === 0))
  read.reduce((earlier: AccountFees | undefined, later) => {
    if (earlier && earlier.from >= later.from) throw wrong(name, 'each price list must begin after the one before it.')
    return later
  }, undefined)
  return read
}

function schedule(value: unknown, name: string, isFirst: boolean): AccountFees {
  const names = ['version', 'from', 'service_percent', 'service_minimum', 'spread_percent'] as const
  const given = fieldsOf(value, name, names)
  const version = plain(given.version)
  if (!/^[a-z0-9][a-z0-9._-]{0,39}$/.test(version)) {
    throw wrong(`${name}.version`, 'must be a name of at most 40 lower-case letters, digits, dots and dashes.')
  }
  return {
    version,
    from: isFirst && given.from === undefined ? beginning : instant(plain(given.from), `${name}.from`),
    serviceBasisPoints: bySide(given.service_percent, `${name}.service_percent`),
    serviceMinimum: minimum(given.service_minimum, `${name}.service_minimum`),
    spreadBasisPoints: bySide(given.spread_percent, `${name}.spread_percent`),
  }
}

function bySide(value: unknown, name: string): Record<Side, number> {
  const given = fieldsOf(value, name, sides)
  const of = (side: Side): number => basisPoints(plain(given[side]), `${name}.${side}`, mostBasisPoints)
  return { buy: of('buy'), sell: of('sell'), swap: of('swap') }
}

/** Written the shortest way: price lists say `0` for none. */
function minimum(value: unknown, name: string): string {
  const text = amountOrNull(value, name) ?? '0'
  if (cents(text) > cents(mostMinimum)) throw wrong(name, `must be at most ${mostMinimum}.`)
  const [whole = '', fraction = ''] = text.split('.')
  const [digits, decimals] = [whole.replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')]
  return decimals === '' ? digits : `${digits}.${decimals}`
}
