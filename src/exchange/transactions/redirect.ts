import { cardSentence, holdsCardNumber } from '../../platform/lib/card-number.ts'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Where an account's customers may be sent back to; `origins` empty: anywhere. */
export type AllowedRedirects = { origins: readonly string[]; allowsLoopback: boolean }

/**
 * What is wrong with an address that a customer would be sent back to, whose every `$$` becomes the transaction's id: https,
 * without user and password, of an origin on the account's list once it has one. A developer's own machine may be named by
 * http; `allowsLoopback` is false in live mode.
 */
export function redirectFault(text: string, { origins, allowsLoopback }: AllowedRedirects): string | undefined {
  if (holdsCardNumber(decoded(text))) return cardSentence
  const filled = text.replaceAll('$$', '1')
  const url = URL.canParse(filled) ? new URL(filled) : undefined
  const isLoopback = allowsLoopback && url?.protocol === 'http:' && loopback.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !isLoopback)) return 'This must be an address that begins with https://.'
  if (url.username !== '' || url.password !== '') return 'This must be an address without a user name or password.'
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
