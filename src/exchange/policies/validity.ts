import type { DocumentProblem, PolicyKind } from './kind.ts'
import { basisPointsOf, duration, msOf, object, percent } from './values.ts'

type Times = { price: string; pay: string }

/** How long prices hold, and how long customers may take to pay. */
export type ValidityDocument = {
  card: Times
  coin: Times
  /** `price` is zero: a transfer is priced when it arrives. `pay` counts business days. */
  bank: Times
  /** Institutions that pay in coins. By transfer they pay as `bank` says. */
  b2b: Times
  /** A market that has moved by `move` within `within` shortens every price's validity to `factor` of it. */
  fast_market: { move: string; within: string; factor: string }
}

type TimeRules = { priceMs: number; payMs: number }

export type ValidityRules = {
  card: TimeRules
  coin: TimeRules
  bank: { priceMs: number; payBusinessDays: number }
  b2b: TimeRules
  fastMarket: { moveBasisPoints: number; withinMs: number; factorBasisPoints: number }
}

const times = object({ price: duration, pay: duration })
const dayMs = 86_400_000

const timesOf = ({ price, pay }: Times): TimeRules => ({ priceMs: msOf(price), payMs: msOf(pay) })

/** `0.25` is 2,500. */
const factorOf = (text: string): number => {
  const [whole = '', fraction = ''] = text.split('.')
  return Number.parseInt(whole + fraction.padEnd(4, '0'), 10)
}

const read = ({ card, coin, bank, b2b, fast_market: { move, within, factor } }: ValidityDocument): ValidityRules => ({
  card: timesOf(card),
  coin: timesOf(coin),
  bank: { priceMs: msOf(bank.price), payBusinessDays: msOf(bank.pay) / dayMs },
  b2b: timesOf(b2b),
  fastMarket: { moveBasisPoints: basisPointsOf(move), withinMs: msOf(within), factorBasisPoints: factorOf(factor) },
})

function contradictions(document: ValidityDocument): DocumentProblem[] {
  const problems: DocumentProblem[] = []
  for (const name of ['card', 'coin', 'bank', 'b2b'] as const) {
    const { priceMs, payMs } = timesOf(document[name])
    if (priceMs > payMs) problems.push({ path: `${name}.price`, message: 'must not be longer than pay' })
    if (payMs < 1_000) problems.push({ path: `${name}.pay`, message: 'must be at least PT1S' })
    if (name !== 'bank' && priceMs < 1_000) problems.push({ path: `${name}.price`, message: 'must be at least PT1S' })
  }
  const { priceMs, payMs } = timesOf(document.bank)
  if (priceMs !== 0)
    problems.push({ path: 'bank.price', message: 'must be PT0S: a transfer is priced when it arrives' })
  if (payMs % dayMs !== 0 || payMs > 60 * dayMs) {
    problems.push({ path: 'bank.pay', message: 'must be whole days, counted as business days, at most P60D' })
  }
  const { moveBasisPoints, withinMs } = read(document).fastMarket
  if (moveBasisPoints <= 0) problems.push({ path: 'fast_market.move', message: 'must be more than nothing' })
  if (withinMs <= 0) problems.push({ path: 'fast_market.within', message: 'must be more than nothing' })
  return problems
}

export const validity: PolicyKind<ValidityDocument, ValidityRules> = {
  schema: object({
    card: times,
    coin: times,
    bank: times,
    b2b: times,
    fast_market: object({ move: percent, within: duration, factor: { type: 'string', pattern: '^(1|0\\.\\d{1,4})$' } }),
  }),
  read,
  contradictions,
  shipped: () => ({
    card: { price: 'PT15M', pay: 'PT30M' },
    coin: { price: 'PT20M', pay: 'PT24H' },
    bank: { price: 'PT0S', pay: 'P5D' },
    b2b: { price: 'PT30S', pay: 'PT24H' },
    fast_market: { move: '1%', within: 'PT1M', factor: '0.25' },
  }),
}
