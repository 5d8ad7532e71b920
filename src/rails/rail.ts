/**
 * The outside world of money. A rail is one way for money to move: a card processor, a bank, a chain. Rails know nothing of
 * transactions; they speak of references of ours, assets and amounts (in the asset's smallest unit). `rails/conformance/` holds the
 * tests that every rail must pass.
 */

import type { Atomic, Db } from '../platform/db/sql.ts'

import type { ShownNode } from './chain/nodes.ts'
import type { PayoutProgress } from './chain/refusals.ts'
import type { Evidence } from './evidence.ts'
import type { StatementFinding, StatementGap, StatementLine, UnansweredPayments, Withheld } from './statement.ts'
import type { UnsurePayments } from './unsure.ts'

/** One rail. What it cannot do it leaves out. */
export type Rail = {
  /** Unique, lower case; its callbacks come to `/callbacks/{name}`. Stored with every payment: never change it. */
  readonly name: string
  /** The account that holds the money: the ledger's `held:{account}`. Rails of one bank account share it. */
  readonly custodyAccount: string
  readonly serves: readonly Service[]
  /** How it shares new payments with other rails that serve the same: the lowest `priority` first, among equals by `weight`. */
  readonly preference?: { readonly priority: number; readonly weight: number }
  readonly deposit?: DepositHalf
  readonly payout?: PayoutHalf
  /**
   * Verifies and translates one call of the provider; may look things up there, so it never runs inside a database block. Refuses
   * with SIGNATURE_INVALID what does not prove its sender, with BAD_REQUEST what it cannot read; then nothing of the call is kept.
   */
  readCallback?(request: CallbackRequest): Promise<CallbackReading>
  /** What the rail says it holds for us, to compare with the books: without what is not final yet. Where it has `noteChange`, read with `db` alone. */
  balance(asset: string, db?: Db): Promise<bigint>
  /** Says whether payments can be made now, for `cambio doctor`. A provider that is down is an answer, not an error. */
  check?(): Promise<RailCheck>
  /** The nodes of a chain, as they were last seen. */
  nodes?(): Promise<ShownNode[]>
  /** Bookings on the custody account that took money, for no order of ours: salaries, telephones. Reads with `db` alone. */
  unexplained?(db: Db, limit: number): Promise<UnexplainedBooking[]>
  /** Of its payments, in or out, those that may be reports of one payment; by the payment. Reads with `db` alone. */
  doubts?(db: Db, payments: readonly string[]): Promise<Map<string, MoneyDoubt>>
  /** Notes what its custodian paid us or charged (below zero), or held before, and does not report. Once a key, in the block that books it. */
  noteChange?(db: Atomic, change: { key: string; asset: string; amount: bigint; at: Date }): void
  /** Notes what a dispute in a currency that is not its payment's withholds of it, as is booked: nobody else says how much it is. */
  noteWithheld?(db: Atomic, withheld: Withheld): void
  /** Lets its chain be read again from a block on, and does `also` in the same block. What was reported and is gone is reversed. */
  reread?(block: bigint, report: ReportEvents, also: (db: Atomic) => void): Promise<void>
  /** What is wrong with its statements by themselves, for reconciliation. Reads with `db` alone. */
  findings?(db: Db): Promise<StatementFinding[]>
  /** Books what lies between two statements, as operators have decided: the rest is money without an order. */
  bookGap?(db: Atomic, gap: StatementGap, report: ReportEvents): Promise<void>
  /** What was booked on the custody account in a period, for reconciliation. */
  statement?(period: { since: Date; until: Date }): Promise<StatementLine[]>
}

/** Whether a rail can be used, and what an operator reads: "Block 21,400,123, 9 seconds old." Without secrets or personal data. */
export type RailCheck = { ok: boolean; message: string }

/** Payment categories on networks that a rail serves, in the directions given. */
export type Service = {
  directions: readonly Direction[]
  /** Payment categories: `VISA_MC`, `SEPA`, `CRYPTO`. */
  categories: readonly string[]
  /** Network codes; for fiat, the currency. */
  networks: readonly string[] | 'any'
}

/** Which way money moves, as seen from us. */
export type Direction = 'deposit' | 'payout'

/** A rail that takes deposits. */
export type DepositRail = Rail & { readonly deposit: DepositHalf }

export type PayoutRail = Rail & { readonly payout: PayoutHalf }

/** Receives the events of a chain, in the same block that stores what they report: both commit, or neither. */
export type ReportEvents = (db: Atomic, events: (RailEvent & { rail: string })[]) => Promise<void>

/** What a rail can report. Anything that a rail says and that we do not know for certain is `unknown`, and moves no money. */
export type RailEventKind =
  | 'deposit_seen' //     on its way, not final yet
  | 'deposit_final' //    arrived, and final as far as the rail can say
  | 'deposit_declined' // an attempt to pay that failed
  | 'deposit_reversed' // reversed before it was final (a reorganization) or after (a chargeback, a recall)
  | 'deposit_withdrawn' //  a deposit that the rail had reported never came, or was voided
  | 'reversal_withdrawn' // a reversal that the rail had reported never was
  | 'dispute_opened' //   the payer's bank contests a deposit
  | 'dispute_won' //      a dispute ended in our favor
  | 'dispute_lost' //     a dispute ended in the payer's favor
  | 'payout_settled' //   a payout was carried out; `look` gives the evidence
  | 'payout_failed' //    a payout was refused; `look` confirms it
  | 'payout_returned' //  a payout that was carried out came back
  | 'unknown'

/** A dispute about a deposit. */
export type Dispute = {
  /** The rail's id of the dispute. */
  id: string
  /** Until when evidence can be sent, while the dispute is open. */
  respondBy?: Date
  /** How often it has been opened again, under the same id: -1 for an inquiry, 0 for a chargeback, then pre-arbitration, arbitration. */
  round?: number
  /** This very event moved `amount`: the rail withdrew it from us (opened, lost), or gave it back (won). */
  fundsMoved: boolean
}

/** What a rail reported. Stored once per `key`; the work happens later. */
export type RailEvent = {
  /** Unique on the rail, and the same each time the event is reported. */
  key: string
  kind: RailEventKind
  /** Our own reference as the rail repeats it; for payouts, the key of the prepared payment. */
  reference: string
  /** The rail's own id of the payment: the same in every event about one payment. */
  payment: string
  asset: string
  amount: bigint
  /** Given with the dispute kinds only. */
  dispute?: Dispute
  /** Given with card payments whose processor reports it. */
  authentication?: CardAuthentication
  /** What else the rail said, without personal data. */
  body: Record<string, string>
}

/** How a card payment was authenticated, as far as the processor says. */
export type CardAuthentication = {
  threeDSecure: 'authenticated' | 'attempted' | 'failed' | 'not_used'
  /** Whether the card's issuer bears the loss of a fraud dispute. */
  liabilityShifted: boolean
}

/** A call of a provider as it came. Header names are lower case. */
export type CallbackRequest = { body: string; headers: Readonly<Record<string, string | undefined>> }

/** What one call reported, in the provider's order, and the reply that it expects; a plain 200 if it expects none. */
export type CallbackReading = { events: RailEvent[]; reply?: CallbackReply }

/** The answer that a provider expects to its call; status 200 unless given. */
export type CallbackReply = { status?: number; contentType: string; body: string }

/** Where a customer pays: a page to go to, an address to send coins to, an account to send money to. */
export type PayTo =
  | { kind: 'page' }
  | { kind: 'address'; address: string; extraId: string }
  | { kind: 'account'; holder: string; account: string; bic: string; bank: string }

/** What a rail is asked for before a customer can pay. `id` is ours and unique: it makes a fresh address or memo. */
export type InstructionOrder = { id: bigint; category: string; asset: string; amount: bigint }

/** What a customer is asked to pay at a page, and where the processor sends the customer's browser afterwards. */
export type DepositOrder = {
  reference: string
  asset: string
  amount: bigint
  /** The payment category (`VISA_MC`, `OPEN_BANKING`): what the processor's page offers. */
  category: string
  returnUrl: string
  locale: string
}

/** How money comes in. */
export type DepositHalf = {
  /**
   * Decides how one transaction is paid. The reference is what the rail repeats in its events, unique on this rail: random where a
   * customer could guess another's, the address (and memo) itself where that is all that a chain repeats. Called inside blocks that
   * hold locks: it makes no calls to the outside. Safe to repeat for one id.
   */
  instruct(order: InstructionOrder): Promise<{ reference: string; payTo: PayTo }>
  /** Opens the page where the customer pays, on rails whose `payTo` is a page. Safe to repeat for one reference. */
  open?(order: DepositOrder): Promise<{ payAt: string }>
  /** The origins of those pages. The checkout's content security policy lets customers go to no other. */
  pageOrigins?(): readonly string[]
  /** Asks the rail what it knows of a reference, since callbacks get lost. An attempt neither paid nor refused is `unknown`. */
  look(reference: string): Promise<RailEvent[]>
  /**
   * Where this rail's payout half sends a payment back to. `payment` is the rail's id of it, as in its events. `unknown` where no
   * sender is certain: coins from a wallet that many people share, our own transfers, payments the rail does not know. Asks the
   * rail, so never inside a block; answers the same each time.
   */
  origin(payment: string): Promise<Destination | 'unknown'>
  /**
   * Who paid, as the rail has stored it with the payment; undefined where it does not know. Reads with `db`, and never asks the outside:
   * it is called in blocks that hold locks.
   */
  payer?(db: Db, payment: string): Promise<Payer | undefined>
  /** What else the rail has stored with a payment, for a person who looks for its order. Like `payer`, it never asks the outside. */
  details?(db: Db, payment: string): Promise<PaymentDetails | undefined>
  /** Captures a payment that was only authorized (`deposit_seen` until then). Safe to repeat. */
  capture?(payment: string): Promise<void>
  /** Cancels an authorization. Safe to repeat. */
  cancel?(payment: string): Promise<void>
  /**
   * A final event says how much of its payment has come by now, and a later one may say more: captured in parts. Of every other rail,
   * what it says first of a payment counts.
   */
  readonly grows?: true
  /** The rail reports disputes: opened, then won or lost. */
  readonly disputes?: true
  /** Confirmations that make a deposit final, on chains. */
  readonly confirmations?: number
}

/**
 * What a payment may be a second report of. `waiting`: those of them, itself included, that no statement has. `isStated`: a statement
 * will say which of them were booked.
 */
export type MoneyDoubt = { of: string[]; waiting: string[]; isStated: boolean }

/** Money that left a custody account for no order of ours. `payment`: as in the rail's statement. */
export type UnexplainedBooking = {
  payment: string
  asset: string
  amount: bigint
  /** Who got it, and what was written with it; empty where the rail does not say. */
  party: Payer
  text: string
  /** Ours where the booking names a payment or an order, else the bank's; empty where there is none. */
  reference: string
  /** The bank's day, `2026-12-14`; empty where it does not say. */
  bookedOn: string
  at: Date
}

/** Who paid: the name and the account, as a bank wrote them, and for whom, where that is said. Empty texts are not known. */
export type Payer = { name: string; account: string; onBehalfOf: string }

/**
 * What a bank wrote about a payment: its text, the bank's own reference and the day on which it was booked. Empty texts are not known.
 */
export type PaymentDetails = Payer & { text: string; reference: string; bookedOn: string }

/** Where a payment goes back to, and the rail that sends it. */
export type Origin = { rail: PayoutRail; destination: Destination }

/** One amount to one destination. */
export type PayoutOrder = {
  payoutId: bigint
  asset: string
  amount: bigint
  destination: Destination
}

/**
 * Where money goes: an address and its memo or tag; an account with its bank's BIC and its holder's name; or, where a payment at a
 * page is refunded, the processor's id of that payment. Absent texts are empty.
 */
export type Destination = {
  address: string
  extraId: string
  holder: string
  /** The BIC of an intermediary bank through which the account's own bank is reached. */
  intermediary?: string
}

/**
 * What is about to leave, fixed before it does: signed bytes, a nonce, a batch. `key` is unique on the rail itself, so that
 * submitting a prepared payment any number of times pays once.
 */
export type PlanDraft = { key: string; payoutId: bigint; body: PlanBody }

/** The rail's own bytes, as plain JSON. Amounts are decimal strings of smallest units. */
export type PlanBody = Record<string, string>

/** What a rail knows of a prepared payment. Anything that is not a plain yes or no is `pending`. */
export type PlanOutcome =
  | { state: 'pending'; lookAgainInMs?: number }
  | { state: 'done'; evidence: Evidence }
  | { state: 'never' }

/** How money goes out. A prepared payment is committed by the caller before it is submitted. */
export type PayoutHalf = Partial<UnansweredPayments> & {
  /** How long to wait between two looks at a submitted payment, in real milliseconds. */
  readonly lookAfterMs: number
  /** The most that one payout may cost the custody account, in the asset that is charged, reserved with the amount; undefined: nothing. */
  mostFee(asset: string): { asset: string; amount: bigint } | undefined
  /** The most that one payout of an asset may have, where another process bounds that; undefined: no bound is known here. */
  most?(asset: string): bigint | undefined
  /** Signs, numbers, batches: turns each order into an unrepeatable payment. Nothing leaves, nothing is remembered. */
  prepare(orders: PayoutOrder[]): Promise<PlanDraft[]>
  /** May be called any number of times for one prepared payment: it pays once. */
  submit(plan: { key: string; body: PlanBody }): Promise<void>
  look(plan: { key: string; body: PlanBody }): Promise<PlanOutcome>
  /** How far a payment is, for operators. */
  progress?(plan: { key: string; body: PlanBody }): Promise<PayoutProgress>
  /** Given where the provider does not refuse a second payment under one key. A restored database may have forgotten which ones left. */
  readonly unsure?: UnsurePayments
  /**
   * Ends a payment that can never be carried out: `look` says `never` from then on, and submitting it does nothing. NOT_EXCLUDED while
   * it still can be. `check` asks only. `isLacking`: the provider's own list lacks it; `needsList`: only then, and what had come by then.
   * `endIn`: in the caller's block, with the approvals of it, where no chain has a say.
   */
  end?(plan: { key: string; body: PlanBody }, how: 'check' | 'end', isLacking?: boolean): Promise<void>
  endIn?(db: Atomic, plan: { key: string; body: PlanBody }, isLacking: boolean): Promise<void>
  /** Books that `differenceWith` has the debit of a payment: `look` says `done` from then on. */
  bookPaid?(db: Atomic, key: string, report: ReportEvents): Promise<void>
  /** Whether a statement's reference has the form of our keys, be it known or not. Absent where the statement is the database's own. */
  isKey?(reference: string): boolean
  /** Whether a canonical address is our own: money sent there would never leave, though the books would say so. */
  owns(address: string): boolean
}
