import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../exchange/context.ts'

const name = 'console'
/** Browsers accept this prefix from this very host over https only (RFC 6265bis, section 4.1.3). */
const hostPrefix = '__Host-'

const isSecure = ({ publicUrl }: Pick<Ctx, 'publicUrl'>): boolean => publicUrl.startsWith('https://')

/** The cookie that holds a session's token, until the browser closes; the server ends it after 12 hours. */
export const sessionCookie = (ctx: Pick<Ctx, 'publicUrl'>, token: string): string =>
  `${isSecure(ctx) ? hostPrefix : ''}${name}=${token}; Path=/; HttpOnly; SameSite=Lax${isSecure(ctx) ? '; Secure' : ''}`

/** Makes a browser forget the token. */
export const clearedCookie = (ctx: Pick<Ctx, 'publicUrl'>): string => `${sessionCookie(ctx, '')}; Max-Age=0`

/** The token that a browser sent. */
export function tokenIn(ctx: Pick<Ctx, 'publicUrl'>, cookie: string | undefined): string | undefined {
  // Over https only the prefixed name counts: any subdomain can set the other one.
  const wanted = `${isSecure(ctx) ? hostPrefix : ''}${name}`
  for (const pair of cookie?.split(';') ?? []) {
    const [key = '', value = ''] = pair.trim().split('=')
    if (key === wanted && /^[\w-]{43}$/.test(value)) return value
  }
  return undefined
}

/** The token that a session's forms carry: nobody who does not see the page can make it. */
export const csrfToken = ({ secrets }: Pick<Ctx, 'secrets'>, sessionId: bigint): string =>
  createHmac('sha256', secrets.keyFor('console-forms')).update(String(sessionId)).digest('base64url')

export function isCsrfToken(ctx: Pick<Ctx, 'secrets'>, sessionId: bigint, token: string): boolean {
  const [expected, given] = [Buffer.from(csrfToken(ctx, sessionId)), Buffer.from(token)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
