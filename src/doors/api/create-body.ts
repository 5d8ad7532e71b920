import { isEmail } from '../../exchange/customers/email.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { takesUnsignedPresets } from '../../exchange/partners/settings.ts'
import { type AllowedRedirects, redirectFault } from '../../exchange/transactions/redirect.ts'
import type { CreateInput, ReadRequest, Warning } from '../../exchange/transactions/create-input.ts'
import { readBilling } from './billing-body.ts'
import { isCardForDestination } from '../../reference/bank/card-for-destination.ts'
import { featureWarning } from './feature-warning.ts'
import { presetWarnings, withoutPresets } from './unsigned-presets.ts'
import { cardSentence, fieldReader, type FieldReader, type Fields, isAbsent, ownReference } from './fields.ts'
import type { Query } from './query.ts'
import { readSharedToken } from './shared-token-body.ts'

/** What a create or a health check was sent, and where it came from. */
export type CreateRequest = {
  body: Fields
  query: Query
  /** The customer's address in the deprecated X-Forwarded-For, if there is one in it. */
  forwardedCustomer: string | undefined
  /** Whether it came by a public key without a signature. */
  isUnsigned: boolean
  /** Whether customers may be sent back to the developer's own machine, by http: in the sandbox. */
  allowsLoopback: boolean
  /** Business time, for a customer's age. */
  now: Date
}

/**
 * Reads a create request: every fault of its form with its path, in the order of the fields, nothing of what was sent
 * repeated. Fields that we do not know are not looked at. Fields of a feature that is off are not looked at either, and
 * reported as warnings. Whether the pair, the amount and the country are served is not judged here.
 */
export function readCreate(partner: Partner, request: CreateRequest): ReadRequest<CreateInput> {
  const { settings } = partner
  const { features } = settings
  const ignoresPresets = request.isUnsigned && !takesUnsignedPresets(settings)
  const body = ignoresPresets ? withoutPresets(request.body) : request.body
  const read = fieldReader()
  const warnings: Warning[] = ignoresPresets ? presetWarnings(request.body) : []

  const customer = read.object('customer', body.customer)
  const contact = read.object('customer.contact_info', customer.contact_info)
  const deposit = read.object('deposit', body.deposit)
  const input: CreateInput = {
    fromAmount: read.amount('from_amount', body.from_amount) ?? '',
    fromCurrency: required(read, 'from_currency', body.from_currency),
    fromNetwork: read.text('from_network', body.from_network),
    toCurrency: required(read, 'to_currency', body.to_currency),
    toNetwork: read.text('to_network', body.to_network),
    depositCategory: read.text('deposit.payment_category', deposit.payment_category),
    skipChoosePaymentCategory: read.flag('deposit.skip_choose_payment_category', deposit.skip_choose_payment_category),
    ...readPayout(read, body, features.preset_payout_address ? undefined : warnings),
    ...readIp(read, customer, settings.signing === 'off' ? request : { query: {}, forwardedCustomer: undefined }),
    email: read.text('customer.contact_info.email', contact.email, {
      longest: 254,
      // Some programs name people by hashes.
      place: isEmail(String(contact.email)) ? 'identifier' : 'text',
      check: emailComplaint,
    }),
    phoneNumber: readPhone(read, contact.phone_number),
    billing: undefined,
    countryOverride: undefined,
    redirects: readRedirects(read, body.redirects, {
      origins: settings.redirectOrigins,
      allowsLoopback: request.allowsLoopback,
    }),
    externalPartnerLinkId: read.text('external_partner_link_id', body.external_partner_link_id, ownReference),
    locale: read.text('locale', body.locale, { longest: 35, check: localeComplaint }),
  }

  const { billing_info: billing } = customer
  if (features.billing_info) {
    input.billing = readBilling(read, read.object('customer.billing_info', billing), request.now)
  } else if (!isAbsent(billing)) warnings.push(featureWarning('billing_info', 'customer.billing_info'))

  if (features.kyc_sharing) {
    const shared = readSharedToken(read, body)
    if (shared) input.sharedToken = shared
  } else if (!isAbsent(body.kyc_shared_token)) warnings.push(featureWarning('kyc_sharing', 'kyc_shared_token'))
  input.countryOverride = readCountry(read, request.query, features.customer_country ? undefined : warnings)
  return { input, problems: [...read.problems], warnings }
}

function required(read: FieldReader, path: string, value: unknown): string {
  if (isAbsent(value)) read.tell(path, 'This is required.', 'REQUIRED')
  return read.text(path, value) ?? ''
}

type Payout = Pick<CreateInput, 'payoutAddress' | 'payoutExtraId' | 'payoutHolder' | 'skipChoosePayoutAddress'>

/**
 * Both spellings of where to pay out to; the newer one wins. A payout to a bank takes the account as the address, its BIC as the
 * extra id, and its holder's name. `ignored` takes the warning when the feature is off.
 */
function readPayout(read: FieldReader, body: Fields, ignored: Warning[] | undefined): Payout {
  const info = read.object('payout_info', body.payout_info)
  const [address, addressPath] = isAbsent(info.payout_address)
    ? [body.payout_address, 'payout_address']
    : [info.payout_address, 'payout_info.payout_address']
  const [extraId, extraIdPath] = isAbsent(info.extra_id)
    ? [body.payout_extra_id, 'payout_extra_id']
    : [info.extra_id, 'payout_info.extra_id']
  const holderPath = 'payout_info.full_name'

  if (ignored) {
    const passed = [
      [address, addressPath],
      [extraId, extraIdPath],
      [info.full_name, holderPath],
    ] as const
    const path = passed.find(([value]) => !isAbsent(value))?.[1]
    if (path !== undefined) ignored.push(featureWarning('preset_payout_address', path))
    return {
      payoutAddress: undefined,
      payoutExtraId: undefined,
      payoutHolder: undefined,
      skipChoosePayoutAddress: false,
    }
  }
  const isCardChecked = false
  return {
    payoutAddress: read.text(addressPath, address, {
      isCardChecked,
      place: 'destination',
      check: (text) => (isCardForDestination(text) ? cardSentence : undefined),
    }),
    payoutExtraId: read.text(extraIdPath, extraId, { isCardChecked, isNumberRead: true, place: 'destination' }),
    payoutHolder: read.text(holderPath, info.full_name),
    skipChoosePayoutAddress: read.flag('payout_info.skip_choose_payout_address', info.skip_choose_payout_address),
  }
}

/** The customer's address: the first of the body's that is there, else what the deprecated inputs say. */
function readIp(
  read: FieldReader,
  { ip, ipV4, ipV6 }: Fields,
  { forwardedCustomer, query }: Pick<CreateRequest, 'forwardedCustomer' | 'query'>,
): Pick<CreateInput, 'customerIp' | 'customerIpPath'> {
  const places: [path: string, address: string | undefined][] = [
    ['customer.ip', read.ip('customer.ip', ip)],
    ['customer.ipV4', read.ip('customer.ipV4', ipV4, 4)],
    ['customer.ipV6', read.ip('customer.ipV6', ipV6, 6)],
    ['headers.x-forwarded-for', forwardedCustomer],
    ['query.ip', deprecatedIp(query)],
  ]
  const [customerIpPath, customerIp] = places.find(([, address]) => address !== undefined) ?? ['customer.ip', undefined]
  return { customerIp, customerIpPath }
}

/** The deprecated `ip` query parameter; treated as absent if it cannot be parsed. */
function deprecatedIp({ ip }: Query): string | undefined {
  return fieldReader().ip('query.ip', typeof ip === 'string' ? ip : undefined)
}

const emailComplaint = (text: string) => (isEmail(text) ? undefined : 'This is not an e-mail address.')

/**
 * A telephone number: 5 to 15 digits (ITU-T E.164) with what people write between them. After a plus sign they are no card: a tenth of
 * German mobile numbers would be one by chance. Others that could be a card are refused like any other text.
 */
function readPhone(read: FieldReader, value: unknown): string | undefined {
  const path = 'customer.contact_info.phone_number'
  return read.text(path, value, {
    longest: 40,
    check: phoneComplaint,
    isCardChecked: typeof value !== 'string' || !value.startsWith('+') || phoneComplaint(value) !== undefined,
    isNumberRead: true,
  })
}

function phoneComplaint(text: string): string | undefined {
  const digits = text.replace(/\D/g, '')
  const isPhone = /^\+?[\d ()./-]+$/.test(text) && digits.length >= 5 && digits.length <= 15
  return isPhone ? undefined : 'This is not a telephone number.'
}

function readRedirects(read: FieldReader, value: unknown, allowed: AllowedRedirects): CreateInput['redirects'] {
  const given = read.object('redirects', value)
  const check = (text: string) => redirectFault(text, allowed)
  const url = (name: 'successful' | 'cancelled' | 'failed') =>
    read.text(`redirects.${name}`, given[name], { longest: 2_048, place: 'identifier', check })
  return { successful: url('successful'), cancelled: url('cancelled'), failed: url('failed') }
}

const localeComplaint = (text: string) =>
  /^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/i.test(text) ? undefined : 'This must be a language tag such as en or pt-BR.'

/** `customer_country` is read from the query only. `ignored` takes the warning when the feature is off. */
function readCountry(read: FieldReader, query: Query, ignored: Warning[] | undefined): string | undefined {
  const path = 'query.customer_country'
  const value = query.customer_country
  if (isAbsent(value) || value === 'null') return undefined
  if (ignored) {
    ignored.push(featureWarning('customer_country', path))
    return undefined
  }
  if (typeof value === 'string' && /^[a-z]{2}$/i.test(value)) return value.toUpperCase()
  return read.tell(path, 'This must be one two-letter country code.')
}
