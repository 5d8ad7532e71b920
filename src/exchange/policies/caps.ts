import type { DocumentProblem, PolicyKind } from './kind.ts'
import { basisPointsOf, centsOf, count, decimal, object, percent } from './values.ts'

/** Bounds that protect the house and its customers. Amounts are euros. */
export type CapsDocument = {
  one_time_codes: {
    guesses_per_code: number
    per_address_and_day: { guesses: number; emails: number }
    per_network_and_hour: { guesses: number; emails: number }
    /** Of all addresses and networks together. Versions from before it was added have no such bound. */
    in_all_and_hour?: { guesses: number; emails: number }
    /** How many e-mails an hour go out before a browser has to solve a task first, about 2^bits hashes. */
    proof_of_work?: { per_network: number; in_all: number; bits: number }
  }
  /** The most that prices may be locked for at once. */
  open_locks: { customer: string; partner: string; asset: string }
  /** A greater move of a price within a minute halts its pair. */
  market_jump: string
  /** Public reads without a key, by address. */
  keyless_reads: { per_second: number; burst: number }
}

export type CapRules = {
  oneTimeCodes: {
    guessesPerCode: number
    perAddressAndDay: { guesses: number; emails: number }
    perNetworkAndHour: { guesses: number; emails: number }
    inAllAndHour: { guesses: number; emails: number } | undefined
    proofOfWork: { perNetwork: number; inAll: number; bits: number } | undefined
  }
  /** In euro cents. */
  openLocks: { customer: bigint; partner: bigint; asset: bigint }
  marketJumpBasisPoints: number
  keylessReads: { perSecond: number; burst: number }
}

const guessesAndEmails = object({ guesses: count, emails: count })

const read = ({ one_time_codes: codes, open_locks: locks, ...document }: CapsDocument): CapRules => ({
  oneTimeCodes: {
    guessesPerCode: codes.guesses_per_code,
    perAddressAndDay: codes.per_address_and_day,
    perNetworkAndHour: codes.per_network_and_hour,
    inAllAndHour: codes.in_all_and_hour,
    proofOfWork: codes.proof_of_work && {
      perNetwork: codes.proof_of_work.per_network,
      inAll: codes.proof_of_work.in_all,
      bits: codes.proof_of_work.bits,
    },
  },
  openLocks: { customer: centsOf(locks.customer), partner: centsOf(locks.partner), asset: centsOf(locks.asset) },
  marketJumpBasisPoints: basisPointsOf(document.market_jump),
  keylessReads: { perSecond: document.keyless_reads.per_second, burst: document.keyless_reads.burst },
})

function contradictions(document: CapsDocument): DocumentProblem[] {
  const { oneTimeCodes, openLocks, marketJumpBasisPoints } = read(document)
  const problems: DocumentProblem[] = []
  if (marketJumpBasisPoints <= 0) problems.push({ path: 'market_jump', message: 'must be more than nothing' })
  if (openLocks.customer > openLocks.partner) {
    problems.push({ path: 'open_locks.customer', message: 'must not be more than partner' })
  }
  if (oneTimeCodes.guessesPerCode > oneTimeCodes.perAddressAndDay.guesses) {
    const message = 'must not be more than per_address_and_day.guesses'
    problems.push({ path: 'one_time_codes.guesses_per_code', message })
  }
  return problems
}

export const caps: PolicyKind<CapsDocument, CapRules> = {
  schema: object({
    one_time_codes: object(
      {
        guesses_per_code: count,
        per_address_and_day: guessesAndEmails,
        per_network_and_hour: guessesAndEmails,
        in_all_and_hour: guessesAndEmails,
        proof_of_work: object({
          per_network: count,
          in_all: count,
          bits: { type: 'integer', minimum: 1, maximum: 22 },
        }),
      },
      ['in_all_and_hour', 'proof_of_work'],
    ),
    open_locks: object({ customer: decimal, partner: decimal, asset: decimal }),
    market_jump: percent,
    keyless_reads: object({ per_second: count, burst: count }),
  }),
  read,
  contradictions,
  shipped: () => ({
    one_time_codes: {
      guesses_per_code: 5,
      per_address_and_day: { guesses: 25, emails: 10 },
      per_network_and_hour: { guesses: 60, emails: 40 },
      in_all_and_hour: { guesses: 20_000, emails: 10_000 },
      proof_of_work: { per_network: 30, in_all: 3_000, bits: 16 },
    },
    open_locks: { customer: '100000', partner: '5000000', asset: '10000000' },
    market_jump: '10%',
    keyless_reads: { per_second: 50, burst: 200 },
  }),
}
