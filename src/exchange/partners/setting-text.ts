import { count } from '../../platform/lib/setting.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { readFees } from './fees-text.ts'
import { limitsDocument, readLimits } from './limits-text.ts'
import { basisPoints, oneOf, percentText, wrong } from './setting-value.ts'
import { readPartnerUrl } from './partner-url.ts'
import type { Partner } from './partner.ts'
import type { AccountRates, GivenSettings } from './settings.ts'
import { readSigningKeys } from './signing-keys.ts'
import { readTheme } from './theme.ts'

/** Whether the value of this setting is the contents of a file. */
export const isFileSetting = (name: string): boolean => ['signing_key', 'fees', 'limits', 'theme'].includes(name)

type Reader = (text: string) => GivenSettings

/** Every setting by the name that the command line has for it. */
const readers: Readonly<Record<string, Reader>> = {
  signing: (text) => ({ signing: oneOf(text, ['off', 'create', 'all'], 'signing') }),
  signing_key: (text) => ({ signingKey: readSigningKeys(text) }),
  b2b_approval: (text) => ({ b2bApproval: oneOf(text, ['on', 'off'], 'b2b_approval') === 'on' }),
  slippage_percent: (text) => ({
    slippageBasisPoints: text === 'default' ? null : basisPoints(text, 'slippage_percent', 5_000),
  }),
  underpayment_percent: (text) => ({ underpaymentBasisPoints: basisPoints(text, 'underpayment_percent', 1_000) }),
  key_per_second: (text) => rate('keyPerSecond', text, 'key_per_second'),
  key_burst: (text) => rate('keyBurst', text, 'key_burst'),
  creates_per_second: (text) => rate('createsPerSecond', text, 'creates_per_second'),
  creates_burst: (text) => rate('createsBurst', text, 'creates_burst'),
  customer_ip_per_second: (text) => rate('customerIpPerSecond', text, 'customer_ip_per_second'),
  customer_ip_burst: (text) => rate('customerIpBurst', text, 'customer_ip_burst'),
  fees: (text) => ({ terms: readFees(text) }),
  limits: (text) => ({ terms: readLimits(text) }),
  theme: (text) => ({ theme: readTheme(text) }),
  calculator_v1: (text) => ({ calculatorV1: oneOf(text, ['on', 'off'], 'calculator_v1') === 'on' }),
  unsigned_presets: (text) => ({ unsignedPresets: oneOf(text, ['on', 'off'], 'unsigned_presets') === 'on' }),
  redirect_origins: (text) => ({ redirectOrigins: origins(text, 'redirect_origins') }),
  frame_origins: (text) => ({ frameOrigins: origins(text, 'frame_origins') }),
  contact_email: (text) => ({ contactEmail: emailOrNone(text) }),
  sender_name: (text) => ({ senderName: nameOrNone(text) }),
}

/** Reads settings by their names. Refuses an unknown name, and a value that cannot be read, saying what it must be. */
export function readChanges(texts: Readonly<Record<string, string>>): GivenSettings[] {
  const changes = Object.entries(texts).map(([name, text]) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (!read)
      throw new Refusal('BAD_REQUEST', `There is no such setting; there are ${Object.keys(readers).join(', ')}.`)
    return read(text.trim())
  })
  if (changes.length === 0) throw new Refusal('BAD_REQUEST', 'Nothing to change was named.')
  return changes
}

/** The name and settings of a partner account as `setPartner` takes them. */
export function textsOf({ name, settings }: Partner): Readonly<Record<string, string>> {
  const { rateLimits, terms, theme } = settings
  const onOff = (isOn: boolean) => (isOn ? 'on' : 'off')
  const orNone = (values: readonly string[]) => (values.length === 0 ? 'none' : values.join(', '))
  const orDefault = (value: number | null) => (value === null ? 'default' : String(value))
  const { slippageBasisPoints: slippage } = settings
  return {
    name,
    contact_email: settings.contactEmail ?? 'none',
    sender_name: settings.senderName ?? 'none',
    signing: settings.signing,
    signing_key: settings.signingKey ?? '',
    calculator_v1: onOff(settings.calculatorV1),
    unsigned_presets: onOff(settings.unsignedPresets),
    redirect_origins: orNone(settings.redirectOrigins),
    frame_origins: orNone(settings.frameOrigins),
    b2b_approval: onOff(settings.b2bApproval),
    slippage_percent: slippage === null ? 'default' : percentText(slippage),
    underpayment_percent: percentText(settings.underpaymentBasisPoints),
    key_per_second: orDefault(rateLimits.keyPerSecond),
    key_burst: orDefault(rateLimits.keyBurst),
    creates_per_second: orDefault(rateLimits.createsPerSecond),
    creates_burst: orDefault(rateLimits.createsBurst),
    customer_ip_per_second: orDefault(rateLimits.customerIpPerSecond),
    customer_ip_burst: orDefault(rateLimits.customerIpBurst),
    fees: JSON.stringify({ commission_percent: percentText(terms.commissionBasisPoints) }),
    limits: JSON.stringify(limitsDocument(terms)),
    theme: JSON.stringify(theme),
  }
}

const rateNumber = count(1, 1_000_000)

/** A whole number from 1 to a million, as the environment's own, or `default` for what the environment says. */
function rate(of: keyof AccountRates, text: string, name: string): GivenSettings {
  if (text === 'default') return { rateLimits: { [of]: null } }
  try {
    return { rateLimits: { [of]: rateNumber(text) } }
  } catch (error) {
    if (error instanceof RangeError) throw wrong(name, 'must be a whole number from 1 to 1000000, or default.')
    throw error
  }
}

const mostOrigins = 20

/** Origins, comma-separated, or `none`. Of a page on a machine of one's own, http will do. */
function origins(text: string, name: string): string[] {
  if (text === 'none') return []
  const given = text.split(',').map((one) => readPartnerUrl(one.trim(), 'loopback'))
  const isOrigin = (one: URL | string): one is URL => one instanceof URL && one.href === `${one.origin}/`
  if (given.length > mostOrigins || !given.every(isOrigin))
    throw wrong(name, `takes up to ${mostOrigins} origins such as https://shop.example, or none.`)
  return given.map(({ origin }) => origin)
}

/** An e-mail address, or `none`. */
function emailOrNone(text: string): string | null {
  if (text === 'none') return null
  const isEmail = text.length <= 254 && /^[\x21-\x3f\x41-\x7e]{1,64}@([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/i.test(text)
  if (!isEmail) throw wrong('contact_email', 'must be an e-mail address, or none.')
  return text
}

/** A name that mail programs show as the sender, or `none`. What could pass for an address is refused. */
function nameOrNone(text: string): string | null {
  if (text === 'none') return null
  if (!/^[\p{L}\p{N}][\p{L}\p{N} .&'+-]{0,59}$/u.test(text))
    throw wrong('sender_name', "must be up to 60 letters, digits, spaces and . & ' + -, or none.")
  return text
}
