import { noLimits, type Terms } from './terms.ts'
import type { Theme } from './theme.ts'

/** What an operator may switch on for a partner account, by the name that partners read. */
export type Feature = 'billing_info' | 'customer_country' | 'preset_payout_address' | 'b2b' | 'kyc_sharing'

/** How often an account's keys and customers may ask, where that is not what the environment says: null is as it says. */
export type AccountRates = {
  /** Requests with one key. */
  keyPerSecond: number | null
  keyBurst: number | null
  /** Creates with one key. */
  createsPerSecond: number | null
  createsBurst: number | null
  /** Creates for one customer address by this account. */
  customerIpPerSecond: number | null
  customerIpBurst: number | null
}

/** What an operator has agreed with a partner. */
export type PartnerSettings = {
  features: Record<Feature, boolean>
  /** Which requests must carry a signature made with the partner's own key. */
  signing: 'off' | 'create' | 'all'
  /** The public half of that key, PEM (SPKI): RSA or Ed25519. While it is exchanged for another, several, one after the other. */
  signingKey: string | null
  /** Whether an operator must approve each new B2B payout address. */
  b2bApproval: boolean
  /** How far the price may move against the customer between quote and late money before the customer is asked; null is as the policy says. */
  slippageBasisPoints: number | null
  /** How much less than agreed may come and still be exchanged, all of it, at the agreed price. */
  underpaymentBasisPoints: number
  rateLimits: AccountRates
  terms: Terms
  theme: Theme
  /** Whether the calculator of version 1, opened by a public key in its URL, is shown; never while requests are signed. */
  calculatorV1: boolean
  /**
   * Whether what comes by a public key without a signature may preset where the money goes, the e-mail address and the redirects;
   * never while requests are signed.
   */
  unsignedPresets: boolean
  /** The origins that customers may be sent back to; any where empty. */
  redirectOrigins: readonly string[]
  /** The pages that may frame the calculator, as origins: `https://shop.example`. */
  frameOrigins: readonly string[]
  /** Where the partner is written to about its account, such as an endpoint that fails. */
  contactEmail: string | null
  /** Who customers' e-mails are from, followed by "via" and the operator's name; null: the operator's name alone. */
  senderName: string | null
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
  slippageBasisPoints: null,
  underpaymentBasisPoints: 50,
  rateLimits: {
    keyPerSecond: null,
    keyBurst: null,
    createsPerSecond: null,
    createsBurst: null,
    customerIpPerSecond: null,
    customerIpBurst: null,
  },
  terms: {
    commissionBasisPoints: 0,
    limits: noLimits,
    limitsBySide: {},
    b2bLimits: noLimits,
  },
  theme: {},
  calculatorV1: true,
  unsignedPresets: true,
  redirectOrigins: [],
  frameOrigins: [],
  contactEmail: null,
  senderName: null,
}

/** Every feature's name. */
export const featureNames = Object.keys(defaultSettings.features) as readonly Feature[]

export const isFeature = (name: string): name is Feature => (featureNames as readonly string[]).includes(name)

/** Settings as far as they are given: stored ones, or changes. */
export type GivenSettings = Partial<Omit<PartnerSettings, 'features' | 'rateLimits' | 'terms'>> & {
  features?: Partial<PartnerSettings['features']>
  rateLimits?: Partial<AccountRates>
  terms?: Partial<Terms>
}

/** Whether the calculator of version 1 is shown. */
export const showsCalculatorV1 = ({ signing, calculatorV1 }: PartnerSettings): boolean =>
  calculatorV1 && signing === 'off'

/** Whether presets count that come by a public key without a signature. */
export const takesUnsignedPresets = ({ signing, unsignedPresets }: PartnerSettings): boolean =>
  unsignedPresets && signing === 'off'

/** Puts what is given over what was there. */
export const merged = (settings: PartnerSettings, given: GivenSettings): PartnerSettings => ({
  ...settings,
  ...given,
  features: { ...settings.features, ...given.features },
  rateLimits: { ...settings.rateLimits, ...given.rateLimits },
  terms: { ...settings.terms, ...given.terms },
})

/** Reads stored settings: one that is younger than the account has its default there. */
export const readSettings = (stored: GivenSettings): PartnerSettings => merged(defaultSettings, stored)
