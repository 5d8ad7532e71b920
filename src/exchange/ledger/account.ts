/** The accounts of domain.md, section 4. Each is one name; with an asset it is one balance. */

/** What a wallet, bank or processor has of ours: must match its statement. */
export const held = (place: string): string => `held:${place}`

/** The place that an account is about; undefined where it is of another kind. */
export const placeIn = (account: string): string | undefined =>
  account.startsWith(held('')) ? account.slice(held('').length) : undefined

/** Money on its way through a rail. */
export const clearing = (rail: string): string => `rail:${rail}:clearing`

/** What we owe one customer now. Zero when the transaction has ended. */
export const customer = (publicId: bigint): string => `customer:${publicId}`

/** What a partner has earned. */
export const commission = (partnerId: bigint): string => `partner:${partnerId}:commission`

/** Our own fees, by kind. */
export const fees = (kind: string): string => `fees:${kind}`

/** The other side of every exchange: our open exposure. */
export const position = 'position'

/** What arrived and is nobody's that we know. */
export const suspense = 'suspense'

/** The operator's own money. */
export const capital = 'capital'

/** What we have lost, by kind. */
export const losses = (kind: string): string => `losses:${kind}`

/** What customers paid for sending on chains, less what sending has cost. */
export const networkFees = 'network-fees'
