import type { Ctx } from '../../exchange/context.ts'
import { timeZoneIn } from '../../platform/language/time-zone.ts'
import { sessionSeconds } from '../../exchange/customers/checkout-session.ts'

/** One cookie per transaction: verifying one link says nothing about another. */
const nameOf = (publicId: bigint): string => `checkout-${publicId}`

/** The same with a prefix that browsers accept from this very host over https only (RFC 6265bis, section 4.1.3). */
const hostPrefix = '__Host-'

/**
 * The cookie that holds a browser's session token. Scripts can't read it; it is sent when the customer returns from the processor,
 * and not with another site's forms.
 */
export function tokenCookie({ publicUrl }: Pick<Ctx, 'publicUrl'>, publicId: bigint, token: string): string {
  const isSecure = publicUrl.startsWith('https://')
  const name = `${isSecure ? hostPrefix : ''}${nameOf(publicId)}`
  return `${name}=${token}; Path=/; Max-Age=${sessionSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

/** The token that a browser sent for a transaction. */
export function tokenIn(cookie: string | undefined, publicId: bigint): string | undefined {
  const wanted = nameOf(publicId)
  return cookiesIn(cookie).find(
    ([name, value]) => (name === wanted || name === hostPrefix + wanted) && /^[\w-]{43}$/.test(value),
  )?.[1]
}

/** The time zone that a browser's script has stored, for times on pages and in e-mails; undefined without one. */
export function zoneIn(cookie: string | undefined): string | undefined {
  const value = cookiesIn(cookie).find(([name]) => name === 'zone')?.[1]
  return timeZoneIn(value?.replaceAll('%2F', '/'))
}

const cookiesIn = (cookie: string | undefined): [name: string, value: string][] =>
  (cookie?.split(';') ?? []).map((pair) => {
    const [name = '', value = ''] = pair.trim().split('=')
    return [name, value]
  })
