import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { recordEvents } from '../events/record.ts'
import { sendMail } from '../mail/send.ts'
import { showPartner } from '../partners/find.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import { endedJobs } from './drop-queue.ts'
import type { EndpointStatus } from './endpoint.ts'

/** An endpoint that only fails is announced as failing after this long, well before it is disabled. */
const announceMs = 3_600_000

/** The part of an endpoint that failures change. */
export type Health = {
  id: bigint
  partnerId: bigint
  url: string
  status: EndpointStatus
  failingSince: Date | null
  announcedAt: Date | null
  /** How many events were recorded about the endpoint itself. */
  events: number
}

/** Failures at a URL without a success: the last one (business time), and whether the endpoint answered that it is gone. */
export type Failure = { endpointId: bigint; url: string; at: Date; gone: boolean }

/** Reads the health of endpoints, and locks it until the block ends. */
export const lockHealth = (db: Atomic, ids: bigint[]): Promise<Health[]> =>
  db.sql`
    select id, partner_id as "partnerId", url, status, failing_since as "failingSince", announced_at as "announcedAt", events
    from webhook_endpoints where id = any(${ids}) order by id for no key update`

/**
 * Records that endpoints failed: `failing` after an hour, `disabled` after WEBHOOK_DISABLE_AFTER if it was announced as failing for
 * a fifth of that time, or at once if it is gone. Both are announced by an event and an email. A failure at a URL that the
 * endpoint no longer has does not count. Returns the endpoints that are disabled now.
 */
export async function recordFailures(
  ctx: Ctx,
  db: Atomic,
  endpoints: Health[],
  failures: Failure[],
): Promise<bigint[]> {
  const changed: Health[] = []
  for (const was of endpoints.filter(({ status }) => status === 'active' || status === 'failing')) {
    const failure = failures.find(({ endpointId, url }) => endpointId === was.id && url === was.url)
    if (!failure) continue
    const status = statusAfter(was, failure, ctx.config.webhooks.disableAfterMs)
    const announcedAt = status === 'failing' && was.status !== 'failing' ? failure.at : was.announcedAt
    const events = was.events + (status === was.status ? 0 : 1)
    const health = { ...was, status, failingSince: was.failingSince ?? failure.at, announcedAt, events }
    if (status !== was.status) changed.push(health)
    if (status !== was.status || was.failingSince === null) saveHealth(db, health)
  }
  if (changed.length > 0) await announce(ctx, db, changed)
  return changed.filter(({ status }) => status === 'disabled').map(({ id }) => id)
}

function statusAfter(
  { status, failingSince, announcedAt }: Health,
  { at, gone }: Failure,
  disableMs: number,
): EndpointStatus {
  const isLongAgo = (since: Date | null, ms: number) => since !== null && since.getTime() <= at.getTime() - ms
  if (gone) return 'disabled'
  if (status === 'failing') {
    return isLongAgo(failingSince, disableMs) && isLongAgo(announcedAt, disableMs / 5) ? 'disabled' : 'failing'
  }
  return isLongAgo(failingSince, Math.min(announceMs, disableMs / 2)) ? 'failing' : 'active'
}

const saveHealth = (db: Atomic, { id, status, failingSince, announcedAt, events }: Health): void =>
  db.send`
    update webhook_endpoints set status = ${status}, failing_since = ${failingSince}, announced_at = ${announcedAt}, events = ${events}
    where id = ${id}`

async function announce(ctx: Ctx, db: Atomic, changed: Health[]): Promise<void> {
  const dataKey = await ctx.keyring.make(db)
  recordEvents(
    ctx,
    db,
    changed.map(({ id, partnerId, url, status, failingSince, events }) => ({
      stream: id,
      sequence: events,
      partnerId,
      type: status === 'disabled' ? 'endpoint.disabled' : 'endpoint.failing',
      at: ctx.clock.now(),
      dataKey,
      payload: { id: String(id), url, status, failing_since: failingSince?.toISOString() },
    })),
  )
  for (const endpoint of changed) await sendEmail(ctx, db, endpoint, dataKey)
  const disabled = changed.filter(({ status }) => status === 'disabled').map(({ id }) => id)
  ctx.queue.enqueue(db, endedJobs(disabled, ctx.clock.now()))
  raiseVersion(db)
}

/** Emails the partner's contact address, if it has one. */
async function sendEmail(ctx: Ctx, db: Atomic, { id, partnerId, url, ...health }: Health, dataKey: DataKey) {
  const { settings } = await showPartner({ db }, partnerId)
  if (settings.contactEmail === null) return
  const since = `${health.failingSince?.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const isDisabled = health.status === 'disabled'
  const title = isDisabled
    ? `Webhooks to ${new URL(url).host} have been stopped`
    : `Webhooks to ${new URL(url).host} fail`
  const paragraphs = isDisabled
    ? [
        `Your endpoint ${url} has accepted nothing since ${since}, or has answered that it is gone. We've stopped sending to it.`,
        'No event is lost: all of them are in the feed, GET /v1/events. To resume, make the endpoint active with PATCH ' +
          `/v1/webhook-endpoints/${id} and send what it missed with POST /v1/webhook-endpoints/${id}/replay.`,
      ]
    : [
        `Your endpoint ${url} has accepted nothing since ${since}. We keep trying, and your events wait in order.`,
        `You can see its responses with GET /v1/webhook-endpoints/${id}/attempts. We disable an endpoint that fails for days; its ` +
          'events stay in the feed.',
      ]
  const footer = `Endpoint ${id}. You receive this email because you are the contact of an account at this exchange.`
  await sendMail(ctx, db, {
    to: settings.contactEmail,
    subject: title,
    content: { title, paragraphs, footer },
    dataKey,
  })
}
