/** Ledger accounts. Each is one name; with an asset it is one balance. */

/** Our money in custody at a wallet, bank or processor. Must match its statement. */
export const held = (place: string): string => `held:${place}`

/** The custody account of a `held:` account; undefined for other accounts. */
export const placeIn = (account: string): string | undefined =>
  account.startsWith(held('')) ? account.slice(held('').length) : undefined

/** Money in transit through a rail. */
export const clearing = (rail: string): string => `rail:${rail}:clearing`

/** On its way between two custody accounts of ours. */
export const transit = 'transit'

/** What we owe the customer of a transaction. Zero once it has ended. */
export const customer = (publicId: bigint): string => `customer:${publicId}`

/** What a partner has earned. */
export const commission = (partnerId: bigint): string => `partner:${partnerId}:commission`

/** Our fees, by kind. */
export const fees = (kind: string): string => `fees:${kind}`

/** The counterpart of every exchange: our open exposure. */
export const position = 'position'

/** Money that arrived and belongs to no known transaction. */
export const suspense = 'suspense'

/** What the operator's business costs: salaries, rent, telephones. No part of what exchanges cost or earn. */
export const expenses = 'expenses'

/** Between two accounts of the operator's that it moved money between by itself: one leg booked, the other not yet. */
export const ownTransfers = 'own-transfers'

/** What banks pay the operator for balances, less what they charge for them. */
export const interest = 'interest'

/** What the operator paid in taxes, less what came back. */
export const taxes = 'taxes'

/** The operator's own money. */
export const capital = 'capital'

export const losses = (kind: string): string => `losses:${kind}`

/** Network fees that customers paid, less what networks charged us. */
export const networkFees = 'network-fees'

/** What processors and banks charged us. */
export const methodCosts = 'method-costs'

/** What venues charged us for hedges, less what they paid us for them. */
export const hedgingFees = 'hedging-fees'
