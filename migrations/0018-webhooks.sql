-- Endpoints that partners manage themselves, and the sending again of what they missed.
set local lock_timeout = '5s';

-- `previous_secret` signs too until `previous_until` (business time). `rate_per_second` null: as fast as it answers; with one,
-- `paced_until` (real time) is up to when its slots are given away, to whichever process. `is_ordered` false: its events do
-- not wait for each other. `announced_at` is when it was last announced as failing.
alter table webhook_endpoints
  add column previous_secret bytea,
  add column previous_until timestamptz,
  add column rate_per_second integer check (rate_per_second between 1 and 1000),
  add column paced_until timestamptz,
  add column is_ordered boolean not null default true,
  add column announced_at timestamptz;
update webhook_endpoints set announced_at = failing_since where status = 'failing';

-- Attempts of an event at an endpoint before it was queued there again: `number` counts on, the schedule begins anew.
alter table webhook_queue add column earlier integer not null default 0;

-- Where the attempt went, and its `webhook-timestamp` (real time). Null: made before these were kept.
alter table webhook_attempts
  add column url text,
  add column sent_at timestamptz;
create index webhook_attempts_failed on webhook_attempts (endpoint_id, at) where outcome <> 'delivered';

-- A partner's wish to have everything since a time sent to an endpoint again. A job queues it from position to position, up to
-- the position that the feed had reached when it was asked for.
create table webhook_replays (
  id bigint primary key,
  endpoint_id bigint not null references webhook_endpoints,
  since timestamptz not null,
  next_position bigint not null,
  last_position bigint not null,
  queued integer not null default 0,
  asked_at timestamptz not null,
  ended_at timestamptz
);
create index webhook_replays_endpoint on webhook_replays (endpoint_id, asked_at);
