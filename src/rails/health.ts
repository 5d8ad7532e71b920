import { stopwatch } from '../platform/lib/clock.ts'

/** What happened on a rail: a payment page opened or did not, and a customer's attempt to pay went through or was declined. */
export type RailOutcome = 'opened' | 'open_failed' | 'paid' | 'declined'

/** What this process has seen of a rail. Rates are of the latest outcomes; undefined without any. */
export type RailHealth = {
  isUp: boolean
  counts: Readonly<Record<RailOutcome, number>>
  openRate: number | undefined
  paymentRate: number | undefined
}

/** The health of rails, as far as this process has seen. */
export type RailHealthBook = {
  record(rail: string, outcome: RailOutcome): void
  isUp(rail: string): boolean
  of(rail: string): RailHealth
}

/** A rail is down while too few of its latest outcomes succeeded, at least so many; and is tried again after a pause. */
type Bound = { latest: number; atLeast: number; rate: number; pauseMs: number }

/** Pages open or they do not: three failures in a row are enough. Customers are declined all day long. */
const bounds: Readonly<Record<'openings' | 'payments', Bound>> = {
  openings: { latest: 6, atLeast: 3, rate: 0.5, pauseMs: 60_000 },
  payments: { latest: 50, atLeast: 20, rate: 0.1, pauseMs: 300_000 },
}

type Tally = { counts: Record<RailOutcome, number>; openings: boolean[]; payments: boolean[]; failedAt: number }

const newTally = (): Tally => ({
  counts: { opened: 0, open_failed: 0, paid: 0, declined: 0 },
  openings: [],
  payments: [],
  failedAt: 0,
})

/** Opens the book of a process. `elapsedMs` only goes forward. */
export function openHealth(elapsedMs: () => number = stopwatch()): RailHealthBook {
  const tallies = new Map<string, Tally>()
  const isUp = ({ openings, payments, failedAt }: Tally): boolean => {
    const age = elapsedMs() - failedAt
    return fits(openings, bounds.openings, age) && fits(payments, bounds.payments, age)
  }
  return {
    record: (rail, outcome) => {
      const tally = tallies.get(rail) ?? newTally()
      tallies.set(rail, tally)
      tally.counts[outcome] += 1
      const hasSucceeded = outcome === 'opened' || outcome === 'paid'
      const kind = outcome === 'opened' || outcome === 'open_failed' ? 'openings' : 'payments'
      tally[kind] = [...tally[kind], hasSucceeded].slice(-bounds[kind].latest)
      if (!hasSucceeded) tally.failedAt = elapsedMs()
    },
    isUp: (rail) => isUp(tallies.get(rail) ?? newTally()),
    of: (rail) => {
      const tally = tallies.get(rail) ?? newTally()
      return {
        isUp: isUp(tally),
        counts: tally.counts,
        openRate: rateOf(tally.openings),
        paymentRate: rateOf(tally.payments),
      }
    },
  }
}

const rateOf = (outcomes: readonly boolean[]): number | undefined =>
  outcomes.length === 0 ? undefined : outcomes.filter(Boolean).length / outcomes.length

const fits = (outcomes: readonly boolean[], { atLeast, rate, pauseMs }: Bound, ageMs: number): boolean =>
  outcomes.length < atLeast || (rateOf(outcomes) ?? 1) >= rate || ageMs > pauseMs
