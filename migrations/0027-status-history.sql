-- The status history is typed: what happened is an enumerated kind, and what it was about a reference, instead of one text.
set local lock_timeout = '5s';

drop view payout_waits;
alter table moves rename to status_history;
alter table transactions rename column moves to status_changes;

-- `kind`: what happened. `subject` and `subject_id`: which deposit, reversal, payout, refund or quote it was about; of a quote the
-- number in its transaction. `occurrence`: how often it has happened to that by then; only some kinds may happen again.
alter table status_history
  add column kind text,
  add column subject text,
  add column subject_id bigint,
  add column occurrence integer;

create temporary table kinds_of_facts (fact text primary key, kind text not null, subject text) on commit drop;
insert into kinds_of_facts values
  ('created', 'created', null), ('opened', 'opened', null), ('complete', 'completed', null),
  ('identity_refused', 'identity_refused', null), ('deadline', 'deadline_passed', null), ('cancelled', 'cancelled', null),
  ('deposit', 'deposit_final', 'deposit'), ('suspense_matched', 'deposit_matched', 'deposit'),
  ('deposit_reversed', 'deposit_reversed', 'reversal'), ('exchanged_anew', 'exchanged_again', 'quote'),
  ('payout_planned', 'payout_prepared', 'payout'), ('payout_settled', 'payout_paid', 'payout'),
  ('payout_failed', 'payout_failed', 'payout'), ('payout_returned', 'payout_returned', 'payout'),
  ('payout_held', 'payout_needs_approval', 'payout'), ('payout_approved', 'payout_approved', 'payout'),
  ('payout_barred', 'payout_address_inactive', 'payout'), ('payout_unclear', 'payout_unknown', 'payout'),
  ('payout_clear', 'payout_known', 'payout'), ('address_given', 'payout_address_given', 'payout'),
  ('ordered_again', 'payout_ordered_again', 'payout'),
  ('refund_planned', 'refund_prepared', 'payout'), ('refund_settled', 'refund_paid', 'payout'),
  ('refund_failed', 'refund_failed', 'payout'), ('refund_returned', 'refund_returned', 'payout'),
  ('refund_held', 'refund_needs_approval', 'payout'), ('refund_unknown', 'refund_origin_unknown', 'refund'),
  ('refund_address', 'refund_address_given', null), ('refund_asked', 'refund_requested', null),
  ('refund_ordered', 'refund_ordered', null), ('accepted', 'price_accepted', null), ('held', 'held', null),
  ('released', 'released', null), ('resumed', 'resumed', null), ('went_on', 'settled', null);

update status_history set kind = typed.kind, subject = typed.subject, subject_id = typed.subject_id, occurrence = typed.occurrence
from (
  select own.transaction_id, own.fact, kinds_of_facts.kind, kinds_of_facts.subject, referred.id as subject_id,
    row_number() over (partition by own.transaction_id, kinds_of_facts.kind, referred.id order by own.number) as occurrence
  from status_history as own
  join kinds_of_facts on kinds_of_facts.fact = split_part(own.fact, ':', 1)
  left join lateral (
    -- A payout that was ordered again was known by its number among those of its transaction.
    select case when kinds_of_facts.fact in ('address_given', 'ordered_again') then payouts.id
      else split_part(own.fact, ':', 2)::bigint end as id
    from (select 1) as one left join payouts on kinds_of_facts.fact in ('address_given', 'ordered_again')
      and payouts.transaction_id = own.transaction_id and purpose = 'payout' and payouts.number::text = split_part(own.fact, ':', 2)
    where kinds_of_facts.subject is not null) as referred on true
) as typed
where typed.transaction_id = status_history.transaction_id and typed.fact = status_history.fact;

-- Nothing is lost on the way: every row has a kind, what refers to something has its id, and what happened once is still one row.
do $$ declare lost text; begin
  select format('%s of transaction %s', fact, transaction_id) into lost from status_history
  where kind is null or (subject is null) <> (subject_id is null) or occurrence is null
    or occurrence > 1 and kind in ('created', 'opened', 'completed', 'deposit_final', 'deposit_matched', 'deposit_reversed',
      'exchanged_again', 'payout_prepared', 'payout_paid', 'payout_failed', 'payout_returned', 'payout_address_given',
      'payout_ordered_again', 'refund_prepared', 'refund_paid', 'refund_failed', 'refund_returned', 'refund_needs_approval')
  limit 1;
  if lost is not null then raise exception 'The status history has a row that cannot be converted: %', lost; end if;
end $$;

alter table status_history
  drop constraint moves_pkey,
  drop column fact,
  alter column kind set not null,
  alter column occurrence set not null,
  add constraint status_history_once unique nulls not distinct (transaction_id, kind, subject_id, occurrence),
  add constraint status_history_occurrence check (occurrence > 0),
  add constraint status_history_subject check ((subject is null) = (subject_id is null)),
  add constraint status_history_kind check (case
    when kind in ('created', 'opened', 'completed', 'identity_refused', 'deadline_passed', 'cancelled', 'refund_address_given',
      'refund_requested', 'refund_ordered', 'price_accepted', 'held', 'released', 'resumed', 'settled') then subject is null
    when kind in ('deposit_final', 'deposit_matched') then subject is not distinct from 'deposit'
    when kind = 'deposit_reversed' then subject is not distinct from 'reversal'
    when kind = 'exchanged_again' then subject is not distinct from 'quote'
    when kind = 'refund_origin_unknown' then subject is not distinct from 'refund'
    when kind in ('payout_prepared', 'payout_paid', 'payout_failed', 'payout_returned', 'payout_needs_approval',
      'payout_approved', 'payout_address_inactive', 'payout_unknown', 'payout_known', 'payout_address_given',
      'payout_ordered_again', 'refund_prepared', 'refund_paid', 'refund_failed', 'refund_returned',
      'refund_needs_approval') then subject is not distinct from 'payout'
    else false end);

-- The history of each transaction in its order, as it is read with it.
create view transaction_histories as
select transaction_id, json_agg(json_build_object('kind', kind, 'subjectId', subject_id::text, 'occurrence', occurrence,
  'status', status, 'reason', reason, 'at', at) order by number) as history
from status_history group by transaction_id;

-- Whether a payout or refund that is ordered and not prepared waits for approvals, and for nothing else: a payout while that is the
-- last thing that stopped its transaction, whatever becomes of refunds meanwhile; a refund while no person holds it.
create view payout_waits as
select payouts.id, payouts.state in ('waiting', 'reserved') and case
    when payouts.purpose = 'payout' then transactions.status = 'on_hold' and coalesce((
      select kind = 'payout_needs_approval' from status_history
      where status_history.transaction_id = payouts.transaction_id and kind not in ('refund_prepared', 'refund_paid',
        'refund_failed', 'refund_returned', 'refund_needs_approval', 'refund_origin_unknown', 'refund_address_given',
        'refund_requested', 'refund_ordered')
      order by number desc limit 1), false)
    else approval_asked_at is not null and refunds.state = 'ordered' and refunds.held_at is null
  end as waits
from payouts
left join transactions on transactions.id = payouts.transaction_id
left join refunds on refunds.id = payouts.refund_id;
