-- Every ending: what each deposit was used for, refunds, payouts that are refunds or never left, rails that stopped crediting.
set local lock_timeout = '5s';

-- What of a deposit was exchanged, refunded (costs included) and taken back by its rail. What is left is free: it is owed to the
-- customer and waits to be exchanged or refunded. Of what was taken back, what was not free any more is our loss.
-- `matched_at`: it lay in suspense until an operator found whose it is.
alter table deposits
  add column exchanged numeric(38, 0) not null default 0 check (exchanged >= 0),
  add column refunded numeric(38, 0) not null default 0 check (refunded >= 0),
  add column taken_back numeric(38, 0) not null default 0 check (taken_back between 0 and amount),
  add column matched_at timestamptz,
  add constraint deposits_used_once check (exchanged + refunded <= amount);

-- Before this file a transaction was exchanged once, by the deposit that first moved it to `exchanging`, whole.
update deposits set exchanged = amount from (
  select distinct on (transaction_id) transaction_id, fact from moves
  where status = 'exchanging' order by transaction_id, number) as first
where first.transaction_id = deposits.transaction_id and first.fact = 'deposit:' || deposits.id;
update deposits set taken_back = coalesce((
  select sum(postings.amount) from entries join postings on entry_id = entries.id
  where kind = 'deposit_reversed' and ref = deposits.id), amount)
where state in ('reversed', 'lost');

-- Money that goes back the way it came. `amount` is what is taken off the deposit, `cost` what of it is kept for sending it. A
-- refund of a deposit that is nobody's has no transaction. `cancelled`: the deposit was taken back before anything was sent.
create table refunds (
  id bigint primary key,
  public_id bigint not null unique,
  transaction_id bigint references transactions,
  deposit_id bigint not null references deposits,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  cost numeric(38, 0) not null check (cost >= 0),
  reason text not null,
  state text not null check (state in ('ordered', 'address_needed', 'sent', 'paid', 'failed', 'cancelled')),
  ordered_at timestamptz not null,
  check (cost < amount)
) with (fillfactor = 70);
create index refunds_transaction on refunds (transaction_id);
create index refunds_deposit on refunds (deposit_id);

-- A refund is paid by payouts, each the next number. `cancelled`: it was ordered, and nothing of it was ever planned.
alter table payouts
  add column refund_id bigint references refunds,
  alter column transaction_id drop not null,
  drop constraint payouts_state_check,
  add constraint payouts_state_check
    check (state in ('waiting', 'reserved', 'planned', 'paid', 'failed', 'unknown', 'cancelled')),
  drop constraint payouts_check,
  add constraint payouts_check
    check ((plan_id is null) = (state in ('waiting', 'reserved', 'cancelled'))),
  add constraint payouts_refund check ((purpose = 'refund') = (refund_id is not null)),
  add constraint payouts_of_someone check (transaction_id is not null or purpose = 'refund');
create unique index payouts_of_refund on payouts (refund_id, number) where refund_id is not null;

-- Rails on which money that was final was taken back by a reorganisation: nothing is credited there until an operator says so.
create table halted_rails (
  rail text primary key,
  since timestamptz not null,
  reason text not null
);

-- Every payout, refunds and returns of nobody's money included, with the plan that pays it. One that nobody has planned yet
-- has no row here.
create or replace view audit_payouts as
select transactions.public_id as transaction_id, plans.id as plan_id, plans.rail, plans.state, plans.evidence,
  coalesce(plans.ended_at, plans.planned_at) as at
from plans
join payouts on payouts.plan_id = plans.id
left join transactions on transactions.id = payouts.transaction_id;

-- The refunds of each transaction in their order, each with the latest plan that pays it, as records tell of them.
create view transaction_refunds as
select refunds.transaction_id, json_agg(json_build_object(
    'id', refunds.public_id::text, 'asset', refunds.asset, 'amount', refunds.amount::text, 'cost', refunds.cost::text,
    'reason', refunds.reason, 'state', refunds.state, 'plan', plan.state, 'hash', plan.hash) order by refunds.id) as refunds
from refunds left join lateral (
  select plans.state, evidence ->> 'hash' as hash from payouts join plans on plans.id = plan_id
  where refund_id = refunds.id order by number desc limit 1) as plan on true
where refunds.transaction_id is not null
group by refunds.transaction_id;

-- Whose a deposit is never changes; only what was nobody's can be found to be somebody's, once.
create function deposit_stays_whose_it_is() returns trigger language plpgsql as $$
begin
  -- Whoever owns the table could do without this trigger anyway.
  if current_user = (select rolname from pg_class join pg_roles on pg_roles.oid = relowner where pg_class.oid = tg_relid) then
    return new;
  end if;
  raise exception 'permission denied: deposit % belongs to a transaction', old.id using errcode = 'insufficient_privilege';
end $$;
create trigger deposit_stays_whose_it_is before update of transaction_id, matched_at on deposits
for each row when (old.transaction_id is not null or new.transaction_id is null or new.matched_at is null)
execute function deposit_stays_whose_it_is();
