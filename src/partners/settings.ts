/** What an operator may switch on for a partner account, by the name that partners read (wire.md, section 1). */
export type Feature = 'billing_info' | 'customer_country' | 'preset_payout_address' | 'b2b' | 'kyc_sharing'

/** Least and greatest source amount of one exchange, both accepted, decimal text in the market's reference currency. */
export type Limits = { min: string | null; max: string | null }

/** What the account's exchanges cost and how large they may be; the shape that `availability/` asks for. */
export type Terms = {
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  limits: Limits
}

/** The colours of a partner's pages, `#rrggbb`; absent is ours. */
export type Theme = { accent?: string; background?: string; text?: string }

/** What an operator has agreed with a partner. */
export type PartnerSettings = {
  features: Record<Feature, boolean>
  /** Which requests must carry a signature made with the partner's own key. */
  signing: 'off' | 'create' | 'all'
  /** The public half of that key, PEM (SPKI): RSA or Ed25519. */
  signingKey: string | null
  /** Whether an operator must approve each new B2B payout address. */
  b2bApproval: boolean
  /** How far the price may move against the customer between quote and late money before the customer is asked. */
  slippageBasisPoints: number
  terms: Terms
  theme: Theme
}

/** What a new account has, and what holds wherever an account's stored settings say nothing. */
export const defaultSettings: PartnerSettings = {
  features: {
    billing_info: false,
    customer_country: false,
    preset_payout_address: true,
    b2b: false,
    kyc_sharing: false,
  },
  signing: 'off',
  signingKey: null,
  b2bApproval: false,
  slippageBasisPoints: 200,
  terms: { commissionBasisPoints: 0, limits: { min: null, max: null } },
  theme: {},
}

/** Every feature's name. */
export const featureNames = Object.keys(defaultSettings.features) as readonly Feature[]

/** Whether a word is the name of a feature. */
export const isFeature = (word: string): word is Feature => (featureNames as readonly string[]).includes(word)

/** Settings as far as they are given: stored ones, or changes. */
export type GivenSettings = Partial<Omit<PartnerSettings, 'features' | 'terms'>> & {
  features?: Partial<PartnerSettings['features']>
  terms?: Partial<Terms>
}

/**
 * Puts what is given over what was there. Stored settings over the defaults, too: a setting that is younger than an account
 * has its default there.
 */
export const merged = (settings: PartnerSettings, given: GivenSettings): PartnerSettings => ({
  ...settings,
  ...given,
  features: { ...settings.features, ...given.features },
  terms: { ...settings.terms, ...given.terms },
})
