import type { Status } from './lifecycle.ts'

/** What an entry of the status history can be about. A reversal is a row of `deposit_reversals`, a reinstatement one of
 * `deposit_reinstatements`; a quote is known by its number. */
export type Subject = 'deposit' | 'reversal' | 'reinstatement' | 'payout' | 'refund' | 'quote'

/**
 * Every kind of entry in the status history: what it is about, and whether it may happen again to the same subject. What may not
 * happens once, however often it is reported. The database has the same list.
 */
export const changeKinds = {
  created: { about: null, repeats: false },
  /** The customer came to the checkout. */
  opened: { about: null, repeats: false },
  /** Everything is known, and the customer has instructions to pay. */
  completed: { about: null, repeats: false },
  identity_refused: { about: null, repeats: true },
  deadline_passed: { about: null, repeats: true },
  cancelled: { about: null, repeats: true },

  deposit_final: { about: 'deposit', repeats: false },
  /** Money in suspense was found to be for this transaction. */
  deposit_matched: { about: 'deposit', repeats: false },
  deposit_reversed: { about: 'reversal', repeats: false },
  /** The rail gave back what it had reversed: a dispute was won. */
  deposit_reinstated: { about: 'reinstatement', repeats: false },
  /** What is left is exchanged at a new quote, after an exchange was reversed. */
  exchanged_again: { about: 'quote', repeats: false },
  price_accepted: { about: null, repeats: true },
  /** The second of two changes that one event makes, after the hold between them. */
  settled: { about: null, repeats: true },

  payout_prepared: { about: 'payout', repeats: false },
  payout_paid: { about: 'payout', repeats: false },
  payout_failed: { about: 'payout', repeats: false },
  payout_returned: { about: 'payout', repeats: false },
  /** It had not come back, although its rail had said so. */
  payout_return_withdrawn: { about: 'payout', repeats: false },
  payout_needs_approval: { about: 'payout', repeats: true },
  payout_approved: { about: 'payout', repeats: true },
  payout_address_inactive: { about: 'payout', repeats: true },
  /** The rail does not say whether it has paid; and it answers again. */
  payout_unknown: { about: 'payout', repeats: true },
  payout_known: { about: 'payout', repeats: true },
  payout_address_given: { about: 'payout', repeats: false },
  payout_ordered_again: { about: 'payout', repeats: false },
  /** The bank of an earlier payout has said that somebody else holds the account. */
  payout_payee_differs: { about: 'payout', repeats: true },

  refund_requested: { about: null, repeats: true },
  refund_ordered: { about: null, repeats: true },
  refund_address_given: { about: null, repeats: true },
  refund_origin_unknown: { about: 'refund', repeats: true },
  refund_prepared: { about: 'payout', repeats: false },
  refund_paid: { about: 'payout', repeats: false },
  refund_failed: { about: 'payout', repeats: false },
  refund_returned: { about: 'payout', repeats: false },
  refund_return_withdrawn: { about: 'payout', repeats: false },
  refund_needs_approval: { about: 'payout', repeats: false },

  held: { about: null, repeats: true },
  released: { about: null, repeats: true },
  resumed: { about: null, repeats: true },
} as const satisfies Record<string, { about: Subject | null; repeats: boolean }>

/** A kind of entry in the status history. */
export type ChangeKind = keyof typeof changeKinds

type KindAbout<About extends Subject | null> = {
  [Kind in ChangeKind]: (typeof changeKinds)[Kind]['about'] extends About ? Kind : never
}[ChangeKind]

/** The cause of a status change: a kind, and the id of its subject if it has one. */
export type Cause = { kind: KindAbout<null>; id?: undefined } | { kind: KindAbout<Subject>; id: bigint }

/** One entry of a transaction's status history. `occurrence`: 1 for the first of its kind about its subject. */
export type StatusChange = {
  kind: ChangeKind
  subjectId: bigint | null
  occurrence: number
  status: Status
  reason: string | null
  at: Date
}

/** How often a cause is in a history. */
export const countOf = (history: readonly StatusChange[], { kind, id }: Cause): number =>
  history.filter((one) => one.kind === kind && one.subjectId === (id ?? null)).length

/** Whether something of a kind is in a history. */
export const hasHappened = (history: readonly StatusChange[], ...kinds: ChangeKind[]): boolean =>
  history.some(({ kind }) => kinds.includes(kind))
