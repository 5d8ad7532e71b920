import type { Ctx } from '../../exchange/context.ts'
import { timeZoneIn } from '../../platform/language/time-zone.ts'
import type { ActionResult } from './checkout-step.ts'
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
 * The cookies that a form of a transaction leaves in a browser: of its session, first, which is sent when the customer returns from the
 * processor; of what was typed and asked for; and that an address was proven in it (`deviceFor`), for any order. Scripts can't read them,
 * and another site's forms don't send them.
 */
export function cookiesOf(
  ctx: Pick<Ctx, 'publicUrl'>,
  publicId: bigint,
  { token, claim, mark, device }: Pick<ActionResult, 'token' | 'claim' | 'mark' | 'device'>,
): { 'set-cookie'?: string[] } {
  const kept: [string, string | undefined, number][] = [
    [nameOf(publicId), token, sessionSeconds],
    [claimOf(publicId), claim, sessionSeconds],
    [markOf(publicId), mark, sessionSeconds],
    [deviceName, device, deviceSeconds],
  ]
  const cookies = kept.flatMap(([name, value, age]) => (value === undefined ? [] : [cookieOf(ctx, name, value, age)]))
  return cookies.length === 0 ? {} : { 'set-cookie': cookies }
}

const deviceName = 'customer-device'
const deviceSeconds = 180 * 86_400

function cookieOf({ publicUrl }: Pick<Ctx, 'publicUrl'>, plainName: string, token: string, seconds: number): string {
  const isSecure = publicUrl.startsWith('https://')
  const name = `${isSecure ? hostPrefix : ''}${plainName}`
  return `${name}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
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

/** What a browser sent in which an address was proven. */
export const deviceIn = (cookie: string | undefined): string | undefined =>
  valueIn(cookie, deviceName, /^[\w-]{16}\.[\w-]{43}$/)

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
