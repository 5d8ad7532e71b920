-- States change by one guarded function; disputes, and what a rail gives back when one is won.
set local lock_timeout = '5s';

-- What a rail does not know is a state of the prepared payment; its payout stays planned.
update payouts set state = 'planned' where state = 'unknown';
alter table payouts
  drop constraint payouts_state_check,
  add constraint payouts_state_check check (state in ('waiting', 'reserved', 'planned', 'paid', 'failed', 'cancelled'));

-- Rows that were to change their state and have not: nothing of the block is kept.
create function refuse_transition(table_name text, missing bigint) returns void language plpgsql as $$
begin
  if missing <> 0 then raise exception '% of the rows of % are not in the state that they should leave', missing, table_name; end if;
end $$;

-- A dispute about a deposit, by its rail's id of it. `amount`: what is disputed. `respond_by`: until when evidence can be sent.
create table disputes (
  id bigint primary key,
  rail text not null,
  dispute text not null,
  deposit_id bigint not null references deposits,
  state text not null check (state in ('opened', 'won', 'lost')),
  amount numeric(38, 0) not null check (amount > 0),
  respond_by timestamptz,
  opened_at timestamptz not null,
  ended_at timestamptz,
  unique (rail, dispute),
  check ((state = 'opened') = (ended_at is null))
);
create index disputes_deposit on disputes (deposit_id);

-- What a rail gave back of a deposit that it had reversed: a dispute was won. `id` is the `ref` of its entry; `recovered`: what of it
-- had been our loss.
create table deposit_reinstatements (
  id bigint primary key,
  deposit_id bigint not null references deposits,
  event_id bigint not null unique references rail_events,
  amount numeric(38, 0) not null check (amount > 0),
  recovered numeric(38, 0) not null check (recovered between 0 and amount)
);
create index deposit_reinstatements_deposit on deposit_reinstatements (deposit_id);

-- Deposits that do not agree with what was reversed of them and given back: its sum, or whether anything of it is lost.
create or replace view mistaken_deposits as
select deposits.id
from deposits
cross join lateral (
  select coalesce(sum(amount), 0) as amount, coalesce(sum(lost), 0) as lost from deposit_reversals where deposit_id = deposits.id
) as reversed
cross join lateral (
  select coalesce(sum(amount), 0) as amount, coalesce(sum(recovered), 0) as recovered
  from deposit_reinstatements where deposit_id = deposits.id
) as reinstated
where reversed.amount - reinstated.amount <> taken_back
  or state <> case when taken_back = 0 then 'final' when reversed.lost > reinstated.recovered then 'lost' else 'reversed' end;

-- The status history says when a rail gave back what it had reversed.
alter table status_history
  drop constraint status_history_kind,
  add constraint status_history_kind check (case
    when kind in ('created', 'opened', 'completed', 'identity_refused', 'deadline_passed', 'cancelled', 'refund_address_given',
      'refund_requested', 'refund_ordered', 'price_accepted', 'held', 'released', 'resumed', 'settled') then subject is null
    when kind in ('deposit_final', 'deposit_matched') then subject is not distinct from 'deposit'
    when kind = 'deposit_reversed' then subject is not distinct from 'reversal'
    when kind = 'deposit_reinstated' then subject is not distinct from 'reinstatement'
    when kind = 'exchanged_again' then subject is not distinct from 'quote'
    when kind = 'refund_origin_unknown' then subject is not distinct from 'refund'
    when kind in ('payout_prepared', 'payout_paid', 'payout_failed', 'payout_returned', 'payout_needs_approval',
      'payout_approved', 'payout_address_inactive', 'payout_unknown', 'payout_known', 'payout_address_given',
      'payout_ordered_again', 'refund_prepared', 'refund_paid', 'refund_failed', 'refund_returned',
      'refund_needs_approval') then subject is not distinct from 'payout'
    else false end);
