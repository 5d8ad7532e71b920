import { deafStatuses } from '../webhooks/endpoint.ts'
import { causesOf, type Finding, type NeedSource, timesOf } from './need.ts'

/**
 * Endpoints of partners that accept nothing, and those that were disabled because of that. `{count}`: the events for it that it has not
 * taken, up to a thousand: those since its latest delivery, and those that still wait. Those of partners that are disabled themselves are left out.
 */
export const deafEndpoints: NeedSource = {
  kind: 'endpoint',
  permission: 'partners.resend',
  causes: {
    failing: {
      urgency: 'today',
      sentence:
        '{about} does not accept our webhooks. Events that it has not taken: {count}. Ask the partner to repair it.',
    },
    disabled: {
      urgency: 'today',
      sentence:
        '{about} gets no webhooks any more: it refused them for too long. Events that it has missed: {count}. Ask the partner to repair it, then resume it and replay them.',
    },
  },
  page: ({ subject }) => `/console/partners/${subject.split(' ')[0] ?? ''}`,
  identity: ({ subject }) => subject,
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, partner_id || ' ' || endpoint.id as subject, coalesce(failing_since, endpoint.created_at) as since, null as "order",
      substring(url from '^[a-z]+://[^/?#]+') || ' of ' || partners.name as about, null as asset, null as amount,
      missed.count
    from webhook_endpoints as endpoint
    join partners on partners.id = partner_id and partners.disabled_at is null
    cross join lateral (
      select coalesce(max(at), endpoint.created_at) - interval '1 hour' as at from (
        select at from webhook_attempts where endpoint_id = endpoint.id and outcome = 'delivered' order by at desc limit 1) as last) as taken
    cross join lateral (
      select count(*)::integer as count from (
        select event_id, type, at, stream, sequence from event_feed join events on events.id = event_id
        where event_feed.partner_id = endpoint.partner_id order by position desc limit 1000) as latest
      where type = any(endpoint.types) and at >= endpoint.created_at
        and (at >= taken.at or exists (
          select from webhook_queue as waiting
          where waiting.endpoint_id = endpoint.id and waiting.stream = latest.stream and waiting.sequence = latest.sequence))
        and not exists (
          select from webhook_attempts as attempt
          where attempt.endpoint_id = endpoint.id and attempt.event_id = latest.event_id and outcome = 'delivered')) as missed
    join unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
      on wanted.cause = endpoint.status and coalesce(failing_since, endpoint.created_at) <= before
    where endpoint.status = any(${deafStatuses}::text[])
    order by coalesce(failing_since, endpoint.created_at), endpoint.id limit ${look.limit}`,
}
