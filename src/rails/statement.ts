import type { Db } from '../platform/db/sql.ts'
import type { Asset } from '../platform/money/amount.ts'

/** One booking on a custody account; `amount` is negative for what left it. */
export type StatementLine = {
  payment: string
  reference: string
  asset: string
  amount: bigint
  at: Date
  /** What the rail takes it for: a payment, one that came back, a deposit that was taken back, a charge, something that is not about an order, what lies between two statements. */
  about?: 'payment' | 'return' | 'recall' | 'charge' | 'other' | 'gap' | undefined
}

/** What is wrong with a statement by itself: how it came about, as far as the rail can tell. */
export type StatementCause =
  | 'missing' //         reported to us, and the statement of its day does not have it
  | 'double' //          reported twice, and the statement has it once
  | 'other_amount' //    reported with another amount than the statement has
  | 'swallowed' //       the statement has it, and the books do not
  | 'lost_statement' //  a statement has not come, or could not be read
  | 'not_ours' //        about an account or a payment that nothing of ours explains
  | 'opening_differs' // a balance begins with another amount than the last one ended with

/** Something wrong with a statement. `amount`: how much more the statement has, in the asset's smallest unit; zero if not known. */
export type StatementFinding = { key: string; asset: string; amount: bigint; cause: StatementCause }

/** What a custodian takes for its work at most, in whole units: where nothing says what it is, and where it is called a charge. */
const mostUnits = { unnamed: 50n, named: 1_000n }

/** How banks call what they take for their work; in German within longer terms, too. */
const chargeTexts =
  /geb(?:ü|ue)hr|entgelt|spesen|kontof(?:ü|ue)hrung|\b(?:charges?|fees?|commissions?|frais|commissioni?|provision|avgift|mokest|comisi(?:ó|o)n)/iu

/** Whether what a custodian took without a payee may be its charge: small sums only. */
export function mayBeCharge({ decimals }: Pick<Asset, 'decimals'>, amount: bigint, text = ''): boolean {
  const units = chargeTexts.test(text) ? mostUnits.named : mostUnits.unnamed
  return amount > 0n && amount <= units * 10n ** BigInt(decimals)
}

/** What is booked, by an event, because of a dispute whose currency is not its payment's: in that of the payment. */
export type Withheld = { event: bigint; payment: string; dispute: string; asset: string; amount: bigint; at: Date }

/**
 * What lies between two statements of an account, before the later one. `known`: what is in it, as persons or the bank have said; `rest`: what
 * is unknown. `waiting`: what was notified of its days and has to be ended first; `early`: payments of ours that are done,
 * and what would turn the difference round, where a statement that has to come first may have them; `outside`: those that do not fit; `unanswered`: payments of ours that may be in it.
 */
export type StatementGap = {
  statement: bigint
  rail: string
  account: string
  asset: string
  rest: bigint
  /** A rest of it was booked before, and does not fit any more. */
  isBooked: boolean
  known: string[]
  waiting: string[]
  early: string[]
  outside: string[]
  unanswered: string[]
  /** The numbers that lack, with the day of the statement after them. */
  numbers: { first: bigint; last: bigint; before: string }[]
  file: bigint
}

/**
 * A booked difference that may have the debit of a payment. `obstacle`: why it cannot be said that it has. `alike`: debits without an order that name
 * no payment, and may be that of the payment, too.
 */
export type PaidDifference = {
  payment: string
  amount: bigint
  obstacle: string | undefined
  alike: readonly { payment: string; amount: bigint }[]
}

/** What had come when somebody looked into a bank's own list of payments, and the gaps that were decided about, with what was booked of each. */
export type SeenOfPayment = { file: string; statement: string; gaps: string[] }

/**
 * What a bank's half says of payments that it never answers. `needsList`: what has come, where only the bank's own list can exclude one.
 * `differenceWith`: the booked difference that may have the debit of one.
 */
export type UnansweredPayments = {
  needsList(db: Db, payment: { key: string; asset: string }): Promise<SeenOfPayment | undefined>
  differenceWith(db: Db, key: string): Promise<PaidDifference | undefined>
}
