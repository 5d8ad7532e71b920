import type { Ctx } from '../../exchange/context.ts'
import { timeZoneIn } from '../../platform/language/time-zone.ts'
import { sessionSeconds } from '../../exchange/customers/checkout-session.ts'

/** The cookie of a browser that has asked for a code (`browserMark`). */
const markOf = (publicId: bigint): string => `asked-${publicId}`

/** The cookie of an email address that was typed and is not proven yet (`sealClaim`). */
const claimOf = (publicId: bigint): string => `claim-${publicId}`

/** One cookie per transaction: verifying one link says nothing about another. */
const nameOf = (publicId: bigint): string => `checkout-${publicId}`

/** The same with a prefix that browsers accept from this very host over https only (RFC 6265bis, section 4.1.3). */
const hostPrefix = '__Host-'

/**
 * The cookie that holds a browser's session token. Scripts can't read it; it is sent when the customer returns from the processor,
 * and not with another site's forms.
 */
export const tokenCookie = (ctx: Pick<Ctx, 'publicUrl'>, publicId: bigint, token: string): string =>
  cookieOf(ctx, nameOf(publicId), token)

/** The same for a browser's mark. */
export const markCookie = (ctx: Pick<Ctx, 'publicUrl'>, publicId: bigint, mark: string): string =>
  cookieOf(ctx, markOf(publicId), mark)

/** The same for a claim. */
export const claimCookie = (ctx: Pick<Ctx, 'publicUrl'>, publicId: bigint, claim: string): string =>
  cookieOf(ctx, claimOf(publicId), claim)

function cookieOf({ publicUrl }: Pick<Ctx, 'publicUrl'>, plainName: string, token: string): string {
  const isSecure = publicUrl.startsWith('https://')
  const name = `${isSecure ? hostPrefix : ''}${plainName}`
  return `${name}=${token}; Path=/; Max-Age=${sessionSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

/** The token that a browser sent for a transaction. */
export const tokenIn = (cookie: string | undefined, publicId: bigint): string | undefined =>
  hashIn(cookie, nameOf(publicId))

/** The mark that a browser sent for a transaction. */
export const markIn = (cookie: string | undefined, publicId: bigint): string | undefined =>
  hashIn(cookie, markOf(publicId))

/** The claim that a browser sent for a transaction. */
export const claimIn = (cookie: string | undefined, publicId: bigint): string | undefined =>
  valueIn(cookie, claimOf(publicId), /^[\w-]{40,512}$/)

const hashIn = (cookie: string | undefined, wanted: string): string | undefined =>
  valueIn(cookie, wanted, /^[\w-]{43}$/)

function valueIn(cookie: string | undefined, wanted: string, form: RegExp): string | undefined {
  return cookiesIn(cookie).find(
    ([name, value]) => (name === wanted || name === hostPrefix + wanted) && form.test(value),
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
