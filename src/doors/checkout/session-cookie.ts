import type { Ctx } from '../../exchange/context.ts'
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
  for (const pair of cookie?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=')
    if ((name === wanted || name === hostPrefix + wanted) && /^[\w-]{43}$/.test(value)) return value
  }
  return undefined
}
