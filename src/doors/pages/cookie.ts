import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../exchange/context.ts'

/** Browsers accept this prefix from this very host over https only (RFC 6265bis, section 4.1.3). */
const hostPrefix = '__Host-'

const isSecure = ({ publicUrl }: Pick<Ctx, 'publicUrl'>): boolean => publicUrl.startsWith('https://')

/** Whose pages these are: the staff's or partners'. */
export type Area = 'console' | 'portal'

/** Our cookies: of a session; of a right password whose code is missing; of a browser that has signed in before; of a form that was just used. */
type CookieName = Area | `${Area}-pending` | `${Area}-device` | `${Area}-done`

const nameOf = (ctx: Pick<Ctx, 'publicUrl'>, name: CookieName): string => `${isSecure(ctx) ? hostPrefix : ''}${name}`

/** A cookie out of reach of scripts and of other sites; without an age, until the browser closes. */
const cookieOf = (ctx: Pick<Ctx, 'publicUrl'>, name: CookieName, value: string, maxAgeSeconds?: number): string =>
  `${nameOf(ctx, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure(ctx) ? '; Secure' : ''}` +
  (maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`)

const deviceSeconds = 180 * 24 * 3_600
const pendingSeconds = 5 * 60

/** The cookies after a sign-in. The server ends a session after 12 hours, whatever the browser keeps. */
export const signedInCookies = (
  ctx: Pick<Ctx, 'publicUrl'>,
  area: Area,
  { token, device }: { token: string; device: string },
): string[] => [cookieOf(ctx, area, token), deviceCookie(ctx, area, device), cookieOf(ctx, `${area}-pending`, '', 0)]

/** The cookie of a browser that is known to be somebody's: attempts elsewhere don't count against it. */
export const deviceCookie = (ctx: Pick<Ctx, 'publicUrl'>, area: Area, device: string): string =>
  cookieOf(ctx, `${area}-device`, device, deviceSeconds)

/** The cookie of a right password whose code is missing. */
export const pendingCookie = (ctx: Pick<Ctx, 'publicUrl'>, area: Area, pending: string): string =>
  cookieOf(ctx, `${area}-pending`, pending, pendingSeconds)

/** Of a form that was used: the next page says what it has done. */
export const doneCookie = (ctx: Pick<Ctx, 'publicUrl'>, area: Area, key: string): string =>
  cookieOf(ctx, `${area}-done`, key, key === '' ? 0 : doneSeconds)

const doneSeconds = 60

/** Makes a browser forget its session. */
export const clearedCookie = (ctx: Pick<Ctx, 'publicUrl'>, area: Area): string => cookieOf(ctx, area, '', 0)

/** What a browser sent under a name. */
export function cookieIn(
  ctx: Pick<Ctx, 'publicUrl'>,
  cookie: string | undefined,
  name: CookieName,
): string | undefined {
  // Over https only the prefixed name counts: any subdomain can set the other one.
  const wanted = nameOf(ctx, name)
  for (const pair of cookie?.split(';') ?? []) {
    const [key = '', value = ''] = pair.trim().split('=')
    if (key === wanted && /^[\w.-]{43,100}$/.test(value)) return value
  }
  return undefined
}

/** The token that a session's forms carry: nobody who does not see the page can make it. */
export const csrfToken = ({ secrets }: Pick<Ctx, 'secrets'>, area: Area, sessionId: bigint): string =>
  createHmac('sha256', secrets.keyFor(`${area}-forms`))
    .update(String(sessionId))
    .digest('base64url')

export function isCsrfToken(ctx: Pick<Ctx, 'secrets'>, area: Area, sessionId: bigint, token: string): boolean {
  const [expected, given] = [Buffer.from(csrfToken(ctx, area, sessionId)), Buffer.from(token)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
