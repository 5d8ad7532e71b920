import { createHash, timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { warningEmail } from './code-email.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import { emailHash } from './email.ts'
import { mailAboutCode } from './mail-about-code.ts'
import type { CodeOrder } from './one-time-code.ts'
import * as queries from './customers.sql.ts'

/** Real seconds after which the e-mail address must be proven again in a browser. */
export const sessionSeconds = 86_400

/**
 * Records that the transaction's e-mail address was proven in one browser, and emails its owner if it is proven in another one
 * already. Returns the token for this browser; only its hash is stored.
 */
export async function startSession(ctx: Ctx, order: CodeOrder, customerId: bigint): Promise<string> {
  const { transactionId } = order
  const token = randomToken(32)
  const createdAt = ctx.clock.realNow()
  const since = after(createdAt, -sessionSeconds * 1_000)
  await ctx.db.atomic(async (db) => {
    const isOther = await queries.hasSession(db, { transactionId, customerId, since })
    queries.insertSession(db, { tokenHash: hashOf(token), transactionId, customerId, createdAt }, since)
    if (isOther) {
      await mailAboutCode(ctx, db, order, warningEmail('new_device', { ...order, company: ctx.config.company }))
    }
  })
  return token
}

/**
 * The customer who proved `email` for this transaction in the browser that holds `token`; undefined for every other
 * browser, after a day, and when the transaction has meanwhile been given another address.
 */
export async function provenInBrowser(
  ctx: Ctx,
  { transactionId, email, token }: { transactionId: bigint; email: string; token: string },
): Promise<bigint | undefined> {
  const since = after(ctx.clock.realNow(), -sessionSeconds * 1_000)
  const [session] = await queries.findSession(ctx.db, { tokenHash: hashOf(token), transactionId, since })
  return session && timingSafeEqual(session.emailHash, emailHash(ctx, email)) ? session.customerId : undefined
}

/**
 * What a browser is given that has asked for a code to the order's own address: with it, the link in the email with the code works. It
 * proves nothing else.
 */
export const browserMark = (
  ctx: Pick<Ctx, 'secrets'>,
  { transactionId, email }: { transactionId: bigint; email: string },
): string =>
  indexHash(ctx.secrets, 'browser-asked', `${transactionId}\n${emailHash(ctx, email).toString('hex')}`).toString(
    'base64url',
  )

/**
 * An email address that was typed for an order without one. The browser alone keeps it, sealed, until it is proven: the order has no
 * address before, and another browser's claim is its own.
 */
export const sealClaim = (
  { secrets }: Pick<Ctx, 'secrets'>,
  { transactionId, email }: { transactionId: bigint; email: string },
): string => seal(secrets.keyFor('email-claim'), email, claimPlace(transactionId)).toString('base64url')

/** The address in a claim; undefined for a claim on another order, and for anything else. */
export function openClaim(
  { secrets }: Pick<Ctx, 'secrets'>,
  { transactionId, claim }: { transactionId: bigint; claim: string },
): string | undefined {
  try {
    return unseal(secrets.keyFor('email-claim'), Buffer.from(claim, 'base64url'), claimPlace(transactionId)).toString()
  } catch {
    return undefined // a changed cookie is no claim
  }
}

const claimPlace = (transactionId: bigint): string => `email-claim:${transactionId}`

/** The token is 256 random bits: a plain hash can not be turned around. */
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
