import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { countUse, type Limit, takeBackUse } from '../sign-in/limits.ts'

const hourMs = 3_600_000

/** The policy's bounds of one-time codes. */
export const codeCaps = ({ policies, clock }: Pick<Ctx, 'policies' | 'clock'>) =>
  policies.at(clock.now(), 'caps').rules.oneTimeCodes

/** What is counted for the network of a browser. */
export type CodeUse = 'emails' | 'guesses'

const limitOf = (ctx: Ctx, use: CodeUse, network: string): Limit => ({
  subject: `codes, ${use} in ${network}`,
  most: codeCaps(ctx).perNetworkAndHour[use],
  windowMs: hourMs,
})

/**
 * Counts an e-mail or a guess of a network, before it is sent or compared. Refuses (RATE_LIMITED) what is more than the policy allows
 * in an hour: somebody who tries many addresses, or guesses at many, is stopped whatever each address allows.
 */
export async function countCodeUse(ctx: Ctx, use: CodeUse, network: string | undefined): Promise<void> {
  if (network === undefined || !ctx.config.rateLimits.on) return
  const seconds = await countUse(ctx, limitOf(ctx, use, network))
  if (seconds > 0) throw tooManyHere(seconds)
}

/** Takes back a guess that was right, or an e-mail that was not sent. */
export async function takeBackCodeUse(ctx: Ctx, use: CodeUse, network: string | undefined): Promise<void> {
  if (network !== undefined && ctx.config.rateLimits.on) await takeBackUse(ctx, limitOf(ctx, use, network))
}

function tooManyHere(seconds: number): Refusal {
  const message = 'Too many codes were requested or entered from your network. Please try again later.'
  return new Refusal('RATE_LIMITED', message, [{ path: 'code', code: 'TOO_MANY_HERE', message }], seconds)
}
