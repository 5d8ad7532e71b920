import { randomInt } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { addressHash } from '../mail/email.ts'
import { after } from '../../platform/lib/clock.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import { codeCaps } from './code-limits.ts'
import { emailHash } from './email.ts'
import * as queries from './customers.sql.ts'

/** Whose address is to be proven, and for which transaction (its internal id). */
export type CodeSubject = { transactionId: bigint; email: string }

/** The order that a code is for. `publicId` is the order number that the customer sees. */
export type CodeOrder = CodeSubject & {
  /** Of the browser that asks or answers. */
  network?: string
  device?: string | undefined
  publicId: bigint
  partnerId: bigint
  partnerName: string
  locale: string | null
  /** What its checkout link carries; without one, the e-mail with the code has no link. */
  tid?: string
}

const codeDigits = 6

/** Six random digits. */
export const newCode = (): string => String(randomInt(0, 10 ** codeDigits)).padStart(codeDigits, '0')

/** Where a subject's code is kept. */
export const codeKey = (ctx: Ctx, { transactionId, email }: CodeSubject): queries.CodeKey => ({
  transactionId,
  emailHash: emailHash(ctx, email),
  toHash: addressHash(ctx.secrets, email),
})

/** A code as it is stored: keyed, because a million codes are soon tried, and bound to its address and transaction. */
export const hashCode = ({ secrets }: Ctx, key: queries.CodeKey, code: string): Buffer =>
  indexHash(secrets, 'one-time-code', `${key.transactionId}\n${key.emailHash.toString('hex')}\n${code}`)

/** What the link in the e-mail with a code carries: known only to who made the code, and worthless once the code is. */
export const linkToken = ({ secrets }: Pick<Ctx, 'secrets'>, hash: Buffer): string =>
  indexHash(secrets, 'code-link', hash.toString('hex')).subarray(0, 18).toString('base64url')

/** The moment of real time from which letters and wrong guesses count: a day ago. */
export const countingSince = ({ clock }: Ctx): Date => after(clock.realNow(), -86_400_000)

type AliveCode = queries.CodeRow & { hash: Buffer }

/** Whether the link with a code still works: the code is not used, and not expired. */
export const isAnswerable = ({ clock }: Pick<Ctx, 'clock'>, code: queries.CodeRow): code is AliveCode =>
  code.hash !== null && code.expiresAt > clock.now()

/** Whether a code can still be entered: its link works, and it is not out of attempts. */
export const isAlive = (ctx: Ctx, code: queries.CodeRow): code is AliveCode =>
  isAnswerable(ctx, code) && code.tries < codeCaps(ctx).guessesPerCode

/** How long a valid code blocks another e-mail, in real milliseconds. */
const pauseMs = 20_000

/** In how many milliseconds of real time another code can be sent after this one. */
export const waitMsOf = ({ clock }: Pick<Ctx, 'clock'>, { sentAt }: Pick<queries.CodeRow, 'sentAt'>): number =>
  after(sentAt, pauseMs).getTime() - clock.realNow().getTime()

/**
 * A code on its way: until when it can be answered, whether it took the place of an earlier one, and in how many milliseconds another
 * one can be sent (zero or less: now).
 */
export type PendingCode = { expiresAt: Date; isRepeat: boolean; waitMs: number }

/** The code that was sent to an address; undefined when no code can be entered. */
export async function pendingCode(ctx: Ctx, subject: CodeSubject): Promise<PendingCode | undefined> {
  const [code] = await queries.findCode(ctx.db, codeKey(ctx, subject))
  return code && isAlive(ctx, code)
    ? { expiresAt: code.expiresAt, isRepeat: code.sent > 1, waitMs: waitMsOf(ctx, code) }
    : undefined
}
