import type { FastifyReply } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { doOnce, keyOfForm, outcomeOf, unknownOutcome } from '../../exchange/sign-in/once.ts'
import { ended, open, type Status } from '../../exchange/transactions/lifecycle.ts'
import { readEvenErased } from '../../exchange/transactions/load.ts'
import type { Language } from '../../platform/language/language.ts'
import { Refusal, refusals } from '../../platform/lib/refusal.ts'
import { onceIn } from '../pages/form.tsx'
import { methodName } from '../ui/method-name.ts'
import { noteRefusal } from '../ui/security-event.ts'
import { spellProblem } from '../ui/spell-problem.ts'
import type { Typed } from './choice.ts'
import type { Presets } from './presets.ts'
import { type CalculatedExchange, startOrder } from './start-order.ts'

export type CustomerLimits = {
  /** Counts a new order against the limits for this IP address, and refuses it with RATE_LIMITED if it exceeds them. */
  takeCustomer(address: string, whose: { partner: Partner }, reply: FastifyReply): void
}

type Door = { ctx: Ctx; limits: CustomerLimits }

/** A request that was granted access. */
export type Visit = {
  partner: Partner
  presets: Presets
  isUnsigned: boolean
  language: Language
  here: string
  address: string
}

/** Where to redirect, or why no transaction was created. */
type Started = { redirect?: string; refusal?: string }

/** What a form has created. `order`: its id; an outcome from before an update may lack it. */
type Created = { redirect: string; order?: string }

/** What a form does with an exchange that is possible, by the value of its `do` field. */
export const forms: Readonly<Record<string, typeof startAsShown>> = {
  update: () => Promise.resolve({}),
  continue: startAsShown,
}

/** Continues only with the payment method that was shown: another one has different fees and holds its price differently. */
async function startAsShown(
  door: Door,
  reply: FastifyReply,
  visit: Visit,
  chosen: CalculatedExchange,
  typed: Typed,
): Promise<Started> {
  const { category } = chosen.exchange.deposit
  if (typed.category === undefined || typed.category === category) return create(door, reply, visit, chosen, typed)
  return { refusal: visit.language.say('calculator.otherWay', { way: methodName(category, visit.language) }) }
}

/**
 * Creates the transaction, or says why not: once for a form, as it was typed, while that order can be paid. A signed URL may be used any
 * number of times, so the limits per customer apply.
 */
async function create(
  { ctx, limits }: Door,
  reply: FastifyReply,
  { partner, presets, isUnsigned, language, here, address }: Visit,
  chosen: CalculatedExchange,
  typed: Typed,
): Promise<Started> {
  const work = async (own: Ctx): Promise<Created> => {
    limits.takeCustomer(address, { partner }, reply)
    const request = { presets, isUnsigned, ...chosen, locale: presets.locale ?? language.tag }
    const { redirect_url: redirect, id: order } = await startOrder(own, partner, request)
    return { redirect, order }
  }
  try {
    const once = onceIn(new URLSearchParams(typed))
    return once === undefined ? await work(ctx) : await createOnce(ctx, { session: [here, typed], once }, work)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    noteRefusal(reply.request, error)
    if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
    void reply.code(refusals[error.code])
    return { refusal: spellProblem(error.problems[0] ?? error, language) }
  }
}

/** Gives what a form has created while that can be paid: somebody who goes back later and continues wants another order, once. */
async function createOnce(
  ctx: Ctx,
  { session, once }: { session: unknown[]; once: string },
  work: (ctx: Ctx) => Promise<Created>,
): Promise<Created> {
  const key = keyOf(session, once)
  const created = await doOnce(ctx, key, work)
  if (created === undefined) throw unknownOutcome()
  if (created.order === undefined) return created
  const order = await readEvenErased(ctx, ctx.db, BigInt(created.order))
  if (order === undefined || open.has(order.status)) return created
  return createOnce(ctx, { session: [...session, created.order], once }, work)
}

const keyOf = (session: unknown[], once: string): string =>
  keyOfForm({ area: 'calculator', session: JSON.stringify(session), once })

/** The order that a form has created, and how it ended; empty before that. */
export type FollowedOrder = { id?: string; status?: Status; end?: 'finished' | 'failed' }

/**
 * What became of the order that a form has created, for the page that embeds the calculator while the checkout is in another tab.
 * Only the page that sent the form knows its token.
 */
export async function followOrder(ctx: Ctx, { here }: Visit, sent: Typed): Promise<FollowedOrder> {
  const once = onceIn(new URLSearchParams(sent))
  if (once === undefined) return {}
  const created = await createdBy(ctx, keyOf([here, sent], once))
  const order = created?.order === undefined ? undefined : await readEvenErased(ctx, ctx.db, BigInt(created.order))
  if (order === undefined) return {}
  const { publicId, status } = order
  const end = status === 'finished' ? 'finished' : 'failed'
  return { id: String(publicId), status, ...(ended.has(status) ? { end } : {}) }
}

/** Nothing for a form that was refused, as its own tab says. */
async function createdBy(ctx: Ctx, key: string): Promise<Created | undefined> {
  try {
    return await outcomeOf<Created>(ctx, key)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
