-- The facts told to partners, and letters to customers.
set local lock_timeout = '5s';

-- One row an event, written with the change that it tells of. `stream` is the public id of what it is about, `sequence`
-- counts that stream's events and is given under the lock of the row that counts them. `body` is the exact text that
-- partners get, sealed. `xid` is the database transaction that wrote the row: the relay looks for rows at or above the
-- oldest one that was still running when it last looked, so no commit order can hide an event from it.
-- No foreign keys here and in the three tables that follow: each would lock its partner's, its person's or its event's row
-- once more for every event, and what they would check comes from that very row.
create table events (
  id bigint generated always as identity primary key,
  stream bigint not null,
  sequence integer not null check (sequence between 1 and 999999),
  partner_id bigint not null,
  type text not null,
  at timestamptz not null,
  data_key_id bigint not null,
  body bytea not null,
  xid xid8 not null default pg_current_xact_id(),
  unique (stream, sequence)
) with (toast_tuple_target = 8160);
-- Sealed bytes do not compress, and a body of a few kilobytes is cheaper beside its row than in pieces elsewhere.
alter table events alter column body set storage external;
create index events_recent on events (xid);

-- The order in which partners read events. Positions are given by one relay at a time to events that have committed, so a
-- reader who has seen a position will never meet a smaller one.
create table event_feed (
  event_id bigint primary key,
  position bigint generated always as identity,
  partner_id bigint not null
);
create unique index event_feed_partner on event_feed (partner_id, position);
create table event_relay (
  only_row boolean primary key default true check (only_row),
  seen_below xid8 not null default '0'
);
insert into event_relay default values;

-- `failing_since` is the first failure (business time) since the last success. `events` counts the events about the
-- endpoint itself.
create table webhook_endpoints (
  id bigint primary key,
  partner_id bigint not null references partners,
  url text not null,
  types text[] not null,
  secret bytea not null,
  status text not null default 'active' check (status in ('active', 'paused', 'failing', 'disabled', 'removed')),
  failing_since timestamptz,
  events integer not null default 0,
  created_at timestamptz not null
);
create index webhook_endpoints_partner on webhook_endpoints (partner_id);

-- Deliveries still to be made. The row goes when the endpoint has taken the event; the attempts stay. `next_at` (business
-- time) is null while an earlier event of the same stream waits before it, so that at most one of a stream is ever due.
-- `attempts` counts all attempts, `wakes` those of them that another event's success brought about, outside the schedule.
create table webhook_queue (
  endpoint_id bigint not null,
  stream bigint not null,
  sequence integer not null,
  event_id bigint not null,
  attempts integer not null default 0,
  wakes integer not null default 0,
  last_at timestamptz,
  next_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (endpoint_id, stream, sequence)
) with (fillfactor = 70);
create index webhook_queue_due on webhook_queue (endpoint_id, next_at) where next_at is not null;

-- What came of each attempt. `response` is the beginning of the answer, sealed with the event's key: it may repeat what we
-- sent. `next_at` is when the next attempt was planned; null when there will be none.
create table webhook_attempts (
  endpoint_id bigint not null,
  event_id bigint not null,
  number integer not null,
  at timestamptz not null,
  took_ms integer not null,
  outcome text not null,
  status integer,
  response bytea,
  next_at timestamptz,
  primary key (endpoint_id, event_id, number)
);
create index webhook_attempts_recent on webhook_attempts (endpoint_id, at);

-- `refused` is the mail server's reply code when it will never take the letter.
create table mails (
  id bigint primary key,
  to_hash bytea not null,
  data_key_id bigint not null references data_keys,
  letter bytea not null,
  transaction_id bigint,
  at timestamptz not null,
  sent_at timestamptz,
  refused integer
);
create index mails_to on mails (to_hash, at);
create index mails_of_transaction on mails (transaction_id) where transaction_id is not null;
