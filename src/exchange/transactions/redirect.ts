import { cardSentence, holdsCardNumber } from '../../platform/lib/card-number.ts'
import { readPartnerUrl } from '../partners/partner-url.ts'

/** Where an account's customers may be sent back to; `origins` empty: anywhere. */
export type AllowedRedirects = { origins: readonly string[]; allowsLoopback: boolean }

/**
 * What is wrong with an address that a customer would be sent back to, whose every `$$` becomes the transaction's id: https,
 * without user and password, of an origin on the account's list once it has one. A developer's own machine may be named by
 * http; `allowsLoopback` is false in live mode.
 */
export function redirectFault(text: string, { origins, allowsLoopback }: AllowedRedirects): string | undefined {
  if (holdsCardNumber(decoded(text))) return cardSentence
  const [url, other] = ['1', '2'].map((id) =>
    readPartnerUrl(text.replaceAll('$$', id), allowsLoopback ? 'loopback' : 'none'),
  )
  if (!(url instanceof URL)) return url
  if (!(other instanceof URL) || other.origin !== url.origin) return 'The id of a transaction has no place in a host.'
  return origins.length === 0 || origins.includes(url.origin)
    ? undefined
    : 'This must be an address of an origin on the list of this account.'
}

/** What an address says once it is decoded; one that cannot be decoded says what it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
