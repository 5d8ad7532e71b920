import { Refusal } from '../../platform/lib/refusal.ts'
import type { Feature } from '../../exchange/partners/settings.ts'
import type { Warning } from '../../exchange/transactions/create-input.ts'

const sentences: Readonly<Record<Feature, string>> = {
  billing_info: 'Billing information is not enabled for this account, so it was ignored.',
  customer_country: 'The country of the customer cannot be set by this account, so it was ignored.',
  preset_payout_address: 'A payout address cannot be preset by this account, so it was ignored.',
  b2b: 'B2B exchanges are not enabled for this account.',
  kyc_sharing: 'Sharing of identity data is not enabled for this account, so the token was ignored.',
}

/** Tells of a field that was ignored because its feature is off. */
export const featureWarning = (feature: Feature, path: string): Warning => ({
  code: 'FEATURE_NOT_ENABLED',
  path,
  message: sentences[feature],
})

/** The refusal of an address that belongs as a whole to a feature which is off. */
export const notEnabled = (feature: Feature): Refusal => new Refusal('FEATURE_NOT_ENABLED', sentences[feature])
