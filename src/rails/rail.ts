/**
 * The outside world of money. A rail is one way in or out: a card processor, a bank, a chain. Rails know nothing of
 * transactions; they speak of references of ours, assets and amounts (in the asset's smallest unit).
 */

/** What a rail told us. Recorded once per `key`; work comes later. `kind` is ours; an unknown word of theirs is `other`. */
export type Fact = {
  key: string
  kind: 'deposit.seen' | 'deposit.final' | 'deposit.declined' | 'deposit.reversed' | 'other'
  /** Our own reference, as the rail repeats it. */
  reference: string
  asset: string
  amount: bigint
  /** What else the rail said, without personal data. */
  body: Record<string, string>
}

/** What a customer is asked to pay, and where the processor sends the customer's browser afterwards. */
export type DepositOrder = {
  reference: string
  asset: string
  amount: bigint
  returnUrl: string
  locale: string
}

/** A way for money to come in. */
export type DepositRail = {
  readonly name: string
  /** Where the money lies when it is final: the ledger's `held:{place}`. */
  readonly place: string
  /** Gives where the customer pays: a page of the processor's own, or an address. Safe to repeat for one reference. */
  open(order: DepositOrder): Promise<{ payAt: string }>
  /** Reads a callback. Refuses one that does not prove who sent it. */
  readCallback(body: string, headers: Record<string, string | undefined>): Fact
  /** Asks the rail what it knows of a reference: callbacks get lost. */
  look(reference: string): Promise<Fact[]>
}

/** One amount to one destination. */
export type PayoutOrder = {
  payoutId: bigint
  asset: string
  amount: bigint
  destination: Destination
}

/** Where money goes: an address and its memo or tag (empty when there is none). */
export type Destination = { address: string; extraId: string }

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
  /** The rail that pays out on a network. */
  forPayout(network: string): PayoutRail | undefined
}
