/**
 * The outside world of money. A rail is one way in or out: a card processor, a bank, a chain. Rails know nothing of
 * transactions; they speak of references of ours, assets and amounts (in the asset's smallest unit).
 */

/** What a rail can report. Anything that a rail says and that we do not know for certain is `unknown`, and moves no money. */
export type RailEventKind =
  | 'deposit_seen' //     on its way, not final yet
  | 'deposit_final' //    arrived for good, as far as the rail can say
  | 'deposit_declined' // an attempt to pay that failed
  | 'deposit_reversed' // reversed before it was final (a reorganization) or after (a chargeback, a recall)
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
  /** What else the rail said, without personal data. */
  body: Record<string, string>
}

/** What a customer is told, to pay: a page to go to, an address to send coins to, an account to send money to. */
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

/** A way for money to come in. */
export type DepositRail = {
  readonly name: string
  /** Where the money lies when it is final: the ledger's `held:{place}`. */
  readonly place: string
  /**
   * Fixes how one transaction is paid. The reference is what the rail repeats in its facts, unique on this rail: random where a
   * customer could guess another's, the address (and memo) itself where that is all that a chain repeats. Called inside blocks
   * that hold locks: it asks nobody far away. Safe to repeat for one id.
   */
  instruct(order: InstructionOrder): Promise<{ reference: string; payTo: PayTo }>
  /** Gives where the customer pays, on rails whose `payTo` is a page. Safe to repeat for one reference. */
  open?(order: DepositOrder): Promise<{ payAt: string }>
  /** Reads a callback. Refuses one that does not prove who sent it. */
  readCallback(body: string, headers: Record<string, string | undefined>): RailEvent
  /** Asks the rail what it knows of a reference: callbacks get lost. An attempt that is neither through nor refused is `unknown`. */
  look(reference: string): Promise<RailEvent[]>
  /**
   * How a payment goes back the way it came: the rail that pays back, and where to. `payment` is the rail's own id of it, as its
   * facts have it. `unknown` where nobody may be paid back for sure: money that came out of a pool of many persons', or from
   * ourselves, or a payment that the rail does not know. Asks the rail, so never inside a block; answers the same each time.
   */
  origin(payment: string): Promise<Origin | 'unknown'>
  /** What the rail says it holds of ours, to compare with the books: without what is not for good yet. */
  balance(asset: string): Promise<bigint>
  /** Confirmations that make a deposit final, on chains. */
  readonly confirmations?: number
}

/** The way back of a payment. */
export type Origin = { rail: PayoutRail; destination: Destination }

/** One amount to one destination. */
export type PayoutOrder = {
  payoutId: bigint
  asset: string
  amount: bigint
  destination: Destination
}

/**
 * Where money goes: an address and its memo or tag, an account with its bank's BIC and its holder's name, or, where a payment at
 * a page is paid back, its id at whoever took it. Texts that are not there are empty.
 */
export type Destination = {
  address: string
  extraId: string
  holder: string
  /** The BIC of a bank in between, through which the account's own bank is reached. */
  intermediary?: string
}

/**
 * What is about to leave, fixed before it does: signed bytes, a nonce, a batch. `key` is unique on the rail itself, so that
 * submitting a plan any number of times pays once.
 */
export type PlanDraft = { key: string; payoutId: bigint; body: PlanBody }

/** The rail's own bytes, as plain JSON. Amounts are decimal strings of smallest units. */
export type PlanBody = Record<string, string>

/** Proof from the rail that a plan was carried out: its hash, and what it cost the wallet. */
export type Evidence = { hash: string; fee: { asset: string; amount: bigint } | undefined }

/** What a rail knows of a plan. Anything that is not a plain yes or no is `pending`. */
export type PlanOutcome =
  | { state: 'pending'; lookAgainInMs?: number }
  | { state: 'done'; evidence: Evidence }
  | { state: 'never' }

/** A way for money to go out. */
export type PayoutRail = {
  readonly name: string
  /** Where the money is taken from: the ledger's `held:{place}`. */
  readonly place: string
  /** How long to wait between two looks at a submitted plan, in real milliseconds. */
  readonly lookAfterMs: number
  /**
   * What carrying out one payout of an asset may cost the place at most, in the asset that is charged; undefined where nothing is
   * taken there. It is reserved along with the amount: a wallet promises nothing that it could not send.
   */
  mostFee(asset: string): { asset: string; amount: bigint } | undefined
  /** Signs, numbers, batches: makes each order an unrepeatable plan. Nothing leaves, nothing is remembered. */
  prepare(orders: PayoutOrder[]): Promise<PlanDraft[]>
  /** May be called any number of times for one plan: it pays once. */
  submit(plan: { key: string; body: PlanBody }): Promise<void>
  look(plan: { key: string; body: PlanBody }): Promise<PlanOutcome>
  /**
   * Whether an address, in its canonical spelling, is our own: money that is sent there never leaves, and the books would
   * say that it has.
   */
  owns(address: string): boolean
  /** What the rail says it holds of ours, to compare with the books. */
  balance(asset: string): Promise<bigint>
}

/** The rails of this exchange. Which one serves what follows from the payment method (money in) and the network (out). */
export type Rails = {
  deposit: ReadonlyMap<string, DepositRail>
  payout: ReadonlyMap<string, PayoutRail>
  /** The rail that takes a payment category's money in; undefined where there is none. */
  forDeposit(category: string, network: string): DepositRail | undefined
  /** The rail that pays out in a payment category on a network. */
  forPayout(category: string, network: string): PayoutRail | undefined
}
