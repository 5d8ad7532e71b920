/**
 * An exchange where the house trades for itself. Amounts and prices are decimal texts in whole units. It promises little: an answer
 * may be lost, and only a plain yes or no counts.
 */
export type TradingVenue = {
  /** Our name of it, and of the custody account that it is. */
  readonly name: string
  /**
   * Sends an order that is filled at once as far as possible at its limit or better; the rest is canceled. Called once for an order.
   * Throws where it is unknown whether the venue has it.
   */
  place(order: VenueOrder): Promise<Placement>
  /** Looks for an order by our id: undefined where the venue shows none, which is no proof that it has none. */
  find(order: VenueOrder & SentOrder): Promise<FoundOrder | undefined>
  /** Every trade of an order that the venue shows. */
  fills(order: VenueOrder & SentOrder): Promise<VenueFill[]>
}

export type VenueOrder = {
  clientOrderId: string
  /** `BTC/EUR`. */
  pair: string
  side: 'buy' | 'sell'
  amount: string
  limitPrice: string
}

/** `venueOrderId` is undefined until the venue has named its own. */
export type SentOrder = { venueOrderId: string | undefined; sentAt: Date }

/** `refused`: the venue plainly said no. It may still have an earlier copy of the same order. */
export type Placement = { state: 'accepted'; venueOrderId: string } | { state: 'refused'; reason: string }

/** `filled` is the amount that was traded so far, in whole units. */
export type FoundOrder = { venueOrderId: string; isOpen: boolean; filled: string }

/** One trade. `cost` is `amount` times its price. The fee is in any ticker; a negative one was paid to us. */
export type VenueFill = {
  id: string
  amount: string
  cost: string
  fees: readonly { ticker: string; amount: string }[]
  at: Date
}
