import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { languageOf } from '../../platform/language/language.ts'
import { countCodeUse } from './code-limits.ts'
import { codeEmail } from './code-email.ts'
import {
  type CodeOrder,
  codeKey,
  countingSince,
  hashCode,
  isAlive,
  linkToken,
  newCode,
  waitMsOf,
} from './one-time-code.ts'
import { demandAnswer } from './proof-of-work.ts'
import { mailAboutCode } from './mail-about-code.ts'
import * as queries from './customers.sql.ts'

/**
 * Sends a new one-time code to the transaction's e-mail address and invalidates the previous one. Refuses (RATE_LIMITED) a second
 * e-mail within seconds, and more than the policy `caps` allows (`code-limits.ts`). From a number of e-mails on, the browser has to solve
 * a task first: `answer`.
 */
export async function sendCode(ctx: Ctx, order: CodeOrder & { answer?: string | undefined }): Promise<void> {
  await demandAnswer(ctx, order)
  const counted = await countCodeUse(ctx, 'emails', order)
  try {
    await sendNew(ctx, order)
  } catch (error) {
    await counted.takeBack()
    throw error
  }
}

async function sendNew(ctx: Ctx, order: CodeOrder): Promise<void> {
  const key = codeKey(ctx, order)
  await ctx.db.atomic(async (db) => {
    queries.lockCodes(db, key)
    const sentAt = ctx.clock.realNow()
    const countSince = countingSince(ctx)
    const [known] = await queries.findCode(db, key)
    if (ctx.config.rateLimits.on) refuseTooSoon(ctx, known)

    const code = newCode()
    const validMs = ctx.config.oneTimeCode.validityMs
    const expiresAt = after(ctx.clock.now(), validMs)
    const hash = hashCode(ctx, key, code)
    queries.replaceCode(db, { ...key, hash, expiresAt, sentAt, countSince })

    await mailAboutCode(
      ctx,
      db,
      order,
      codeEmail({ ...order, code, validMs, company: ctx.config.company, url: linkOf(ctx, order, hash) }),
    )
  })
}

/** Opens the order with its address proven, in the browser that asked for the code only. */
function linkOf(ctx: Ctx, { tid, locale }: CodeOrder, hash: Buffer): string | undefined {
  if (tid === undefined) return undefined
  return `${ctx.publicUrl}/${languageOf(locale).tag}/checkout?tid=${tid}&link=${linkToken(ctx, hash)}`
}

function refuseTooSoon(ctx: Ctx, known: queries.CodeRow | undefined): void {
  const waitMs = known && isAlive(ctx, known) ? waitMsOf(ctx, known) : 0
  if (waitMs <= 0) return
  const message = 'A code was sent a moment ago. Please look for it first.'
  throw new Refusal(
    'RATE_LIMITED',
    message,
    [{ path: 'code', code: 'CODE_TOO_SOON', message }],
    Math.ceil(waitMs / 1_000),
  )
}
