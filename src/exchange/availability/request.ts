/** A text as the request has it; undefined is absent. */
type Text = string | undefined

/**
 * An exchange that a caller asks for, spelled as in the request. Without a network the currency's main one is meant, without a
 * method the first open one.
 */
export type ExchangeRequest = {
  fromCurrency: Text
  fromNetwork?: Text
  toCurrency: Text
  toNetwork?: Text
  /** Methods by type (`VISA_MC_1`) or by category (`VISA_MC`), any letter case; with both, both must fit. */
  depositType?: Text
  depositCategory?: Text
  payoutType?: Text
  payoutCategory?: Text
  /** The customer's country, alpha-2. Undefined: not known, and no country rule applies. */
  country?: Text
  /** Without it no amount is checked. `value` is as the request has it (see `amountText`); absent inside is a broken rule. */
  amount?: RequestedAmount | undefined
  /** Field names that differ from the estimate's. */
  paths?: Partial<RequestPaths>
}

/**
 * An amount of the source (direct) or of the target (reverse). `feesIncluded` is true by default. `isAgreed`, for a source
 * amount: it was within the range when the exchange was agreed and is only repriced; something must be left to pay out.
 */
export type RequestedAmount = {
  direction: 'direct' | 'reverse'
  value: unknown
  feesIncluded?: boolean
  isAgreed?: boolean
  /** Digits beyond the asset's decimals are cut off and reported; refused unless this is true, and always for B2B. */
  mayBeCut?: boolean
}

/** The names of a request's fields in `errors[].path`. */
export type RequestPaths = Record<
  Exclude<keyof ExchangeRequest, 'paths' | 'amount'> | 'fromAmount' | 'toAmount',
  string
>

export const estimatePaths: RequestPaths = {
  fromCurrency: 'from_currency',
  fromNetwork: 'from_network',
  toCurrency: 'to_currency',
  toNetwork: 'to_network',
  depositType: 'deposit_type',
  depositCategory: 'deposit_category',
  payoutType: 'payout_type',
  payoutCategory: 'payout_category',
  country: 'query.customer_country',
  fromAmount: 'from_amount',
  toAmount: 'to_amount',
}
