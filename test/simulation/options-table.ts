import { policyKinds } from '../../src/exchange/policies/kinds.ts'
import { environmentOf } from '../../src/app/config/environment.ts'
import { type Given, policiesWith } from '../support/policies.ts'
import { type Attack, type Outcome, play, type Run } from './options.ts'

const validity = policyKinds.validity.shipped(environmentOf('sandbox'))
/** Institutions with prices that hold as long as customers'. */
const longB2b = policiesWith({
  kind: 'validity',
  document: { ...validity, b2b: { price: 'PT20M', pay: 'PT24H' } },
})

const small = { agreed: 2_000_000n, paid: 110_000_000n }
/** Near the greatest order that customers may make. */
const large = { agreed: 40_000_000n, paid: 40_000_000n }
const retail = { kind: 'retail', watchSeconds: 19 * 60 } as const
const b2b = { kind: 'b2b', watchSeconds: 19 * 60 } as const

/** Attacks that the shipped policy must make a loss, whoever plays them. */
export const attacks: readonly Attack[] = [
  { name: 'shipped', ...retail, ...small, pays: 'old price better' },
  { name: 'shipped', ...retail, ...large, pays: 'always, the better price' },
  { name: 'shipped', ...b2b, ...small, pays: 'old price better' },
  { name: 'shipped', ...b2b, ...small, pays: 'old price better after fees' },
  { name: 'shipped', ...b2b, ...small, watchSeconds: 30, pays: 'old price better' },
  { name: 'shipped', ...b2b, ...large, watchSeconds: 30, pays: 'always, the better price' },
]

/**
 * What cannot lose, because it pays only at a gain: what a promise of a price costs. The caps of open locks bound it. The first pays a
 * handful of times in a thousand windows: too few to judge it by.
 */
const freeChoices: readonly Attack[] = [
  { name: 'shipped', ...retail, ...small, pays: 'old price better after fees' },
  { name: 'shipped', ...retail, ...large, pays: 'only at a gain' },
  { name: 'shipped', ...b2b, ...large, watchSeconds: 30, pays: 'only at a gain' },
]

/** The same attacks where something of the shipped rules is missing. */
const without: readonly Attack[] = [
  { name: 'no size', ...retail, ...small, pays: 'old price better after fees', isUnlimited: true },
  {
    name: 'no size, B2B 20 min',
    ...b2b,
    ...small,
    pays: 'old price better after fees',
    isUnlimited: true,
    policies: longB2b,
  },
  { name: 'B2B 20 min', ...b2b, ...small, pays: 'old price better after fees', policies: longB2b },
  { name: 'B2B 20 min', ...b2b, ...large, pays: 'only at a gain', policies: longB2b },
]

const bitcoin = (satoshi: bigint): string => String(Number(satoshi) / 1e8)
const euros = (cents: number): string => (cents / 100).toFixed(2)

const headings = [
  'policy',
  'kind',
  'agreed',
  'paid',
  'after',
  'pays',
  'windows',
  'payments',
  'mean',
  'worst',
  'best',
  'house',
  'fees',
]

const rowOf = (attack: Attack, outcome: Outcome): string[] => [
  attack.name,
  attack.kind,
  bitcoin(attack.agreed),
  bitcoin(attack.paid),
  `${attack.watchSeconds} s`,
  attack.pays,
  String(outcome.windows),
  String(outcome.paid),
  ...[outcome.mean, outcome.worst, outcome.best, outcome.house, outcome.fees].map(euros),
]

/** The table of what free locks cost under the shipped policies, or with documents in their place, as lines of text. Amounts are bitcoin and euros; `mean`, `worst` and `best` are the attacker's. */
export function optionsTable(run: Run, given: readonly Given[] = []): { lines: string[]; isLoss: boolean } {
  const own = given.length === 0 ? {} : { name: 'given', policies: policiesWith(...given) }
  const judged = [...attacks, ...freeChoices].map((attack) => ({ ...attack, ...own }))
  const played = [...judged, ...without].map((attack) => ({ attack, outcome: play(attack, run) }))
  const rows = [headings, ...played.map(({ attack, outcome }) => rowOf(attack, outcome))]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const isText = (column: number): boolean => column < 2 || column === 5
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return { lines, isLoss: played.slice(0, attacks.length).every(({ outcome }) => outcome.mean < 0) }
}

/** What the run rests on, in a sentence or two. */
export const assumptions = ({ seed, windows, volatility: { perYear, jumpsPerDay, jumpSize } }: Run): string =>
  `Seed ${seed}, ${windows} windows. Bitcoin moves by geometric Brownian motion of ${perYear * 100} % a year, with ${jumpsPerDay} jumps a day ` +
  `(normal, ${jumpSize * 100} %). Gains are against the middle of the market when it is paid; money is final at once.`
