-- What rails report is typed: its kind is enumerated, and payment, asset and amount are columns. Disputes have a state. What was never
-- used goes.
set local lock_timeout = '5s';

alter table facts rename to rail_events;
alter table rail_events rename column fact_key to event_key;
alter table rail_events rename constraint facts_pkey to rail_events_pkey;
alter table rail_events rename constraint facts_rail_fact_key_key to rail_events_once;
alter index facts_reference rename to rail_events_reference;
alter table deposits rename column fact_id to event_id;
alter table deposit_reversals rename column fact_id to event_id;

-- `payment`: the rail's own id of the payment; null in events from before it was known. `dispute`: the rail's id of the dispute that
-- the event is about, and until when evidence can be sent. `funds_moved`: with a dispute, this event withdrew the amount from us
-- (opened, lost) or gave it back (won). `reverses`: the event takes the amount of its payment back.
alter table rail_events
  add column payment text,
  add column asset text,
  add column amount numeric,
  add column dispute text,
  add column respond_by timestamptz,
  add column funds_moved boolean,
  add column reverses boolean;

update rail_events set kind = typed.kind, payment = body ->> 'payment', asset = body ->> 'asset',
  amount = (body ->> 'amount')::numeric, reverses = typed.kind = 'deposit_reversed'
from (values ('deposit.seen', 'deposit_seen'), ('deposit.final', 'deposit_final'), ('deposit.declined', 'deposit_declined'),
  ('deposit.reversed', 'deposit_reversed'), ('payout.returned', 'payout_returned'), ('other', 'unknown')) as typed (was, kind)
where rail_events.kind = typed.was;

-- Nothing is lost on the way: every event has a kind that is known, an asset and a whole amount.
do $$ declare lost bigint; begin
  select id into lost from rail_events where reverses is null or asset is null or amount is null or amount <> trunc(amount) limit 1;
  if lost is not null then raise exception 'The rail event % cannot be converted.', lost; end if;
end $$;

alter table rail_events
  alter column asset set not null,
  alter column amount set not null,
  alter column reverses set not null,
  add constraint rail_events_kind check (kind in ('deposit_seen', 'deposit_final', 'deposit_declined', 'deposit_reversed',
    'dispute_opened', 'dispute_won', 'dispute_lost', 'payout_settled', 'payout_failed', 'payout_returned', 'unknown')),
  add constraint rail_events_dispute check (case when kind in ('dispute_opened', 'dispute_won', 'dispute_lost')
    then dispute is not null and funds_moved is not null
    else dispute is null and respond_by is null and funds_moved is null end),
  add constraint rail_events_reverses check (reverses = (kind = 'deposit_reversed'
    or kind in ('dispute_opened', 'dispute_lost') and coalesce(funds_moved, false))),
  add constraint rail_events_amount check (amount = trunc(amount));

-- A deposit is booked when it is final: none was ever only seen.
do $$ begin
  if exists (select from deposits where state = 'seen') then raise exception 'There is a deposit that is not final.'; end if;
end $$;
alter table deposits
  drop constraint deposits_state_check,
  add constraint deposits_state_check check (state in ('final', 'reversed', 'lost'));

-- No customer is asked about money beyond what can be exchanged any more: it is sent back, or staff decide.
update transactions set status_details = 'review' where status = 'on_hold' and status_details = 'overpaid';

alter table transactions drop column initial_from_asset;
alter table plans drop column successor_of;
