import type { Billing } from '../customers/billing-field.ts'
import type { SharedToken } from '../customers/import-identity.ts'
import type { Problem } from '../../platform/lib/refusal.ts'

/** Something that was passed and is not used: the field is ignored, not stored, and reported. */
export type Warning = { code: string; path: string; message: string }

/** The warning about a field that is ignored because it came by a public key without a signature. */
export const unsignedWarning = (path: string): Warning => ({
  code: 'UNSIGNED_FIELD',
  path,
  message: 'This came by a public key without a signature, so it was ignored.',
})

/**
 * What a partner asks for, read from the wire: texts are trimmed of nothing, absent is undefined, amounts are plain decimal
 * text. Fields of features that are off are already left out and listed in `warnings`.
 */
export type CreateInput = {
  fromCurrency: string
  fromNetwork: string | undefined
  toCurrency: string
  toNetwork: string | undefined
  fromAmount: string
  depositCategory: string | undefined
  skipChoosePaymentCategory: boolean
  payoutAddress: string | undefined
  payoutExtraId: string | undefined
  /** The account's holder, for payouts to a bank. */
  payoutHolder: string | undefined
  skipChoosePayoutAddress: boolean
  email: string | undefined
  phoneNumber: string | undefined
  /** The customer's address, from the body or the deprecated inputs; never the connection's. */
  customerIp: string | undefined
  /** The path of that address in the request. */
  customerIpPath: string
  /** `customer_country` of the query, upper case, when the account has the feature. */
  countryOverride: string | undefined
  redirects: { successful: string | undefined; cancelled: string | undefined; failed: string | undefined }
  externalPartnerLinkId: string | undefined
  locale: string | undefined
  /** As far as it was passed, when the account has the feature. */
  billing: Billing | undefined
  /** A person whom an identity provider shares with us, when the account has the feature. */
  sharedToken?: SharedToken
  /**
   * There for an institution's own exchange, which has no checkout: the registered address that it pays to, how, and the BIC of the
   * bank in between where its account has one.
   */
  b2b?: { payoutAddressId: bigint; payoutCategory: string; intermediary?: string | undefined }
}

/** Everything that a request may leave out, left out. */
export const nothingOptional: Omit<CreateInput, 'fromCurrency' | 'toCurrency' | 'fromAmount'> = {
  fromNetwork: undefined,
  toNetwork: undefined,
  depositCategory: undefined,
  skipChoosePaymentCategory: false,
  payoutAddress: undefined,
  payoutExtraId: undefined,
  payoutHolder: undefined,
  skipChoosePayoutAddress: false,
  email: undefined,
  phoneNumber: undefined,
  customerIp: undefined,
  customerIpPath: 'customer.ip',
  countryOverride: undefined,
  redirects: { successful: undefined, cancelled: undefined, failed: undefined },
  externalPartnerLinkId: undefined,
  locale: undefined,
  billing: undefined,
}

/** A request as far as it could be read: its input, what is malformed, and what is ignored. */
export type ReadRequest<Input> = { input: Input; problems: Problem[]; warnings: Warning[] }

/** Whether the value at this path, or one that contains it, could not be read. */
export const isUnread = (path: string, problems: readonly Problem[]): boolean =>
  problems.some((problem) => path === problem.path || path.startsWith(`${problem.path}.`))
