import type { Ctx } from '../../exchange/context.ts'
import { receiveReviews } from '../../exchange/customers/receive-reviews.ts'
import type { ReviewFact } from '../../identity/provider.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { receiveRailEvents, type ReportedEvent } from '../../exchange/settlement/rail-event.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { CallbackReply, CallbackRequest } from '../../rails/rail.ts'

/** A call of a rail or an identity provider, and the name that it came to. */
export type Callback = CallbackRequest & { name: string }

/** What a verified call reported. */
type Report = { events: ReportedEvent[]; reviews: (ReviewFact & { provider: string })[]; reply?: CallbackReply }

/**
 * Verifies and translates a call. A rail may look things up at its provider for this, so this runs outside of any block. Refuses
 * unknown names, and calls that do not prove their sender.
 */
export async function readCallback({ rails, identity }: Ctx, { name, ...request }: Callback): Promise<Report> {
  const rail = rails.named(name)
  if (rail?.readCallback) {
    const { events, ...rest } = await rail.readCallback(request)
    return { events: events.map((event) => ({ ...event, rail: name })), reviews: [], ...rest }
  }
  const provider = identity.named(name)
  if (!provider) throw new Refusal('NOT_FOUND', 'No rail or identity provider has this name.')
  const review = provider.readCallback(request.body, request.headers)
  return { events: [], reviews: [{ ...review, provider: name }] }
}

/** Stores what calls reported, each event once, in the caller's block, and leaves the work to jobs. */
export async function storeReports(ctx: Ctx, db: Atomic, reports: Report[]): Promise<void> {
  const events = reports.flatMap((report) => report.events)
  if (events.length > 0) await receiveRailEvents(ctx, db, events)
  await receiveReviews(
    ctx,
    db,
    reports.flatMap(({ reviews }) => reviews),
  )
}

/** Takes one call whole. Returns the reply that its sender expects, once everything reported is durable. */
export async function receiveCallback(ctx: Ctx, callback: Callback): Promise<CallbackReply | undefined> {
  const report = await readCallback(ctx, callback)
  await ctx.db.atomic((db) => storeReports(ctx, db, [report]))
  return report.reply
}
