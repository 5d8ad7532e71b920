import { createHmac } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'
import { one } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import * as queries from './limits.sql.ts'

/** Who tries to sign in. `device`: the browser's own id, where this address has signed in with it before. */
export type Attempt = { email: string; network: string; device: string | undefined }

/** How many attempts may fail within a time. */
export type Limit = { subject: string; most: number; windowMs: number }

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/**
 * What limits an attempt. A browser in which the operator has signed in before has its own limit, so that nobody else's attempts
 * keep the operator out (OWASP, "device cookies"). All others share 5 failures in 15 minutes for one address and network, 200 an
 * hour for one network, and 100 a day for one address. So at most 100 passwords a day are tried for an address from
 * elsewhere. Who has the password can try 100 codes a day; three in a million are right at any time, so one day in 3,300 succeeds.
 *
 * The narrowest comes first, and what one refuses does not count for those after it: refused attempts from one network would
 * otherwise use up, within a second, what the address has for the day.
 */
function limitsOf({ email, network, device }: Attempt, isOn: boolean): Limit[] {
  if (device !== undefined) return [{ subject: `device ${device}`, most: 5, windowMs: 15 * minuteMs }]
  return [
    { subject: `address ${email} in ${network}`, most: 5, windowMs: 15 * minuteMs },
    ...(isOn ? [{ subject: `network ${network}`, most: 200, windowMs: 60 * minuteMs }] : []),
    { subject: `address ${email}`, most: 100, windowMs: dayMs },
  ]
}

/** An attempt that counts as wrong until it is found right. */
export type Counted = {
  /** Takes back that it was wrong. After a whole sign-in, also the earlier ones of this browser or network. */
  takeBack(isSignedIn: boolean): Promise<void>
}

/**
 * Counts an attempt, before anything is compared: many at once are no more than the limits. Refuses with RATE_LIMITED, whether or not
 * there is such an operator.
 */
export async function countAttempt(
  { db, clock, secrets, config }: Needs & Pick<Ctx, 'config'>,
  attempt: Attempt,
): Promise<Counted> {
  const limits = limitsOf(attempt, config.rateLimits.on)
  for (const limit of limits) {
    refuseBeyond(await countUse({ db, clock, secrets }, limit))
  }
  const keys = limits.map((limit) => keyOf(secrets, limit))
  return {
    takeBack: async (isSignedIn) => {
      // The first one is of this browser, or of this network alone.
      await queries.takeBackFailure(db, keys, isSignedIn ? keys[0] : undefined)
      if (isSignedIn) await queries.forgetFailures(db, clock.realNow())
    },
  }
}

type Needs = Pick<Ctx, 'db' | 'clock' | 'secrets'>

function refuseBeyond(waitSeconds: number): void {
  if (waitSeconds > 0) throw new Refusal('RATE_LIMITED', 'Too many attempts. Please wait.', [], waitSeconds)
}

/** Counts one more of what is limited. Gives for how many seconds no more are allowed; 0: this one is. */
export async function countUse({ db, clock, secrets }: Needs, limit: Limit): Promise<number> {
  const now = clock.realNow()
  const counted = { key: keyOf(secrets, limit), until: after(now, limit.windowMs) }
  const { failures, until } = one(await queries.countFailure(db, counted, now))
  return failures <= limit.most ? 0 : Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000))
}

/** Counts a refused sign-in by passkey. RATE_LIMITED after 200 an hour in one network. */
export async function countWrongPasskey(ctx: Needs & Pick<Ctx, 'config'>, network: string): Promise<void> {
  const limit = { subject: `passkeys in ${network}`, most: 200, windowMs: 60 * minuteMs }
  if (ctx.config.rateLimits.on) refuseBeyond(await countUse(ctx, limit))
}

/** How many of what is limited were counted within the present time. */
export async function usesOf({ db, clock, secrets }: Needs, limit: Pick<Limit, 'subject'>): Promise<number> {
  const [counted] = await queries.findFailures(db, keyOf(secrets, limit), clock.realNow())
  return counted?.failures ?? 0
}

/** Takes back one of each that was counted, and forgets counts whose time is over. */
export async function takeBackUses({ db, clock, secrets }: Needs, limits: readonly Limit[]): Promise<void> {
  const keys = limits.map((limit) => keyOf(secrets, limit))
  await queries.takeBackFailure(db, keys, undefined)
  await queries.forgetFailures(db, clock.realNow())
}

const keyOf = (secrets: Ctx['secrets'], { subject }: Pick<Limit, 'subject'>): Buffer =>
  createHmac('sha256', secrets.keyFor('sign-in-limits')).update(subject).digest()
