import type { Ctx } from '../context.ts'
import { mailboxAt } from './email-providers.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'

const longest = 254
const longestLocalPart = 64

/** The form of WHATWG HTML's `input type=email`, with a dot in the domain and no consecutive dots. */
const form =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** Whether a text can be an e-mail address: ASCII, a dotted domain, at most 254 characters. Nothing is trimmed or mended. */
export const isEmail = (text: string): boolean =>
  text.length <= longest && form.test(text) && text.indexOf('@') <= longestLocalPart

/** The spelling in which addresses are compared: letter case does not tell two persons apart. */
const foldEmail = (text: string): string => text.toLowerCase()

/** The address that an alias delivers to: without a tag (`+shop`), at one domain of the provider, without characters that it ignores. */
export function canonicalEmail(text: string): string {
  const [name = '', domain = ''] = foldEmail(text).split('@')
  const mailbox = name.split('+')[0] || name
  return mailboxAt(mailbox, domain) ?? `${mailbox}@${domain}`
}

/** Whether two spellings are one address. */
export const isSameEmail = (one: string, other: string): boolean => foldEmail(one) === foldEmail(other)

/** The keyed hash to look up an address by; the same for spellings that differ in case only. */
export const emailHash = ({ secrets }: Pick<Ctx, 'secrets'>, email: string): Buffer =>
  indexHash(secrets, 'email', foldEmail(email))

/** An address that its owner recognizes and others can not use: `j•••@e•••.com`. */
export function maskEmail(email: string): string {
  const [name = '', domain = ''] = email.split('@')
  return `${name.slice(0, 1)}•••@${domain.slice(0, 1)}•••${domain.slice(domain.lastIndexOf('.'))}`
}
