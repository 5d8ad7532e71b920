import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { countUse, type Limit, takeBackUse, usesOf } from '../sign-in/limits.ts'

const hourMs = 3_600_000

/** The policy's bounds of one-time codes. */
export const codeCaps = ({ policies, clock }: Pick<Ctx, 'policies' | 'clock'>) =>
  policies.at(clock.now(), 'caps').rules.oneTimeCodes

/** What is counted for the network of a browser, and in all. */
export type CodeUse = 'emails' | 'guesses'

/** What bounds a use: the narrowest first. */
function limitsOf(ctx: Ctx, use: CodeUse, network: string): Limit[] {
  const { perNetworkAndHour, inAllAndHour } = codeCaps(ctx)
  const inNetwork = { subject: `codes, ${use} in ${network}`, most: perNetworkAndHour[use], windowMs: hourMs }
  if (!inAllAndHour) return [inNetwork]
  return [inNetwork, { subject: `codes, ${use} in all`, most: inAllAndHour[use], windowMs: hourMs }]
}

/**
 * Counts an e-mail or a guess of a network, before it is sent or compared. Refuses (RATE_LIMITED) what is more than the policy allows
 * in an hour, for the network and in all: somebody who tries many addresses, or guesses at many, is stopped whatever each address
 * allows.
 */
export async function countCodeUse(ctx: Ctx, use: CodeUse, network: string | undefined): Promise<void> {
  if (network === undefined || !ctx.config.rateLimits.on) return
  for (const limit of limitsOf(ctx, use, network)) {
    const seconds = await countUse(ctx, limit)
    if (seconds > 0) throw tooManyHere(seconds)
  }
}

/** Takes back a guess that was right, or an e-mail that was not sent. */
export async function takeBackCodeUse(ctx: Ctx, use: CodeUse, network: string | undefined): Promise<void> {
  if (network === undefined || !ctx.config.rateLimits.on) return
  for (const limit of limitsOf(ctx, use, network)) await takeBackUse(ctx, limit)
}

/** How many e-mails with codes went out in the present hour, for a network and in all. */
export async function codeEmailsSent(ctx: Ctx, network: string): Promise<{ inNetwork: number; inAll: number }> {
  const [inNetwork = 0, inAll = 0] = await Promise.all(
    limitsOf(ctx, 'emails', network).map((limit) => usesOf(ctx, limit)),
  )
  return { inNetwork, inAll }
}

function tooManyHere(seconds: number): Refusal {
  const message = 'Too many codes were requested or entered from your network. Please try again later.'
  return new Refusal('RATE_LIMITED', message, [{ path: 'code', code: 'TOO_MANY_HERE', message }], seconds)
}
