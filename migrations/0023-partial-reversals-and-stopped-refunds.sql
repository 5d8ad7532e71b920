-- Money that is taken back in parts, refunds that wait for operators, payouts of which nobody knows whether they were made.
set local lock_timeout = '5s';

-- Each fact that took something of a deposit back, once. `id` is the `ref` of its entry: the deposit's own for the first, so that
-- what was booked before this file is found. `lost`: what of it was not the customer's any more. `fact_id` is null where the fact of
-- before this file cannot be told.
create table deposit_reversals (
  id bigint primary key,
  deposit_id bigint not null references deposits,
  fact_id bigint unique references facts,
  amount numeric(38, 0) not null check (amount > 0),
  lost numeric(38, 0) not null check (lost between 0 and amount)
);
create index deposit_reversals_deposit on deposit_reversals (deposit_id);

insert into deposit_reversals (id, deposit_id, fact_id, amount, lost)
select taken.id, taken.id, (
    select min(facts.id) from facts join facts as first on first.id = taken.fact_id and facts.reference = first.reference
    where facts.kind = 'deposit.reversed' and facts.rail = taken.rail and facts.body ->> 'payment' = taken.payment
      and facts.body ->> 'asset' = taken.asset and (facts.body ->> 'amount')::numeric = taken.taken_back),
  booked.amount, booked.lost
from (
  select deposits.*, entries.id as entry_id from deposits join entries on entries.transaction_id = deposits.transaction_id
    and entries.kind = 'deposit_reversed' and entries.ref = deposits.id
  where deposits.state in ('reversed', 'lost')
  union all
  select deposits.*, entries.id from deposits join entries on entries.transaction_id is null
    and entries.kind = 'deposit_reversed' and entries.ref = deposits.id
  where deposits.transaction_id is null and deposits.state in ('reversed', 'lost')
) as taken
cross join lateral (
  select sum(postings.amount) as amount,
    coalesce(sum(postings.amount) filter (where debit = 'losses:chargebacks'), 0) as lost
  from postings where postings.entry_id = taken.entry_id
) as booked;

-- Since when a person keeps a refund from being sent, that was ordered before; null: nobody does.
alter table refunds add column held_at timestamptz;
-- Since when the payout of a refund waits for different operators to approve it; null: it does not.
alter table payouts add column approval_asked_at timestamptz;
-- Since when, in real time, the rail has given no clear answer about a plan; null: it has.
alter table plans add column unknown_since timestamptz;

-- Whether a payout or refund that is ordered and not planned waits for approvals, and for nothing else: a payout while that is the
-- last thing that stopped its transaction, whatever becomes of refunds meanwhile; a refund while no person keeps it.
create view payout_waits as
select payouts.id, payouts.state in ('waiting', 'reserved') and case
    when payouts.purpose = 'payout' then transactions.status = 'on_hold' and coalesce((
      select fact like 'payout\_held:%' from moves
      where moves.transaction_id = payouts.transaction_id and fact not like 'refund\_%' order by number desc limit 1), false)
    else approval_asked_at is not null and refunds.state = 'ordered' and refunds.held_at is null
  end as waits
from payouts
left join transactions on transactions.id = payouts.transaction_id
left join refunds on refunds.id = payouts.refund_id;

-- Deposits that do not agree with what was taken back of them: its sum, or whether anything of it was lost. None, where all is well.
create view mistaken_deposits as
select deposits.id
from deposits
cross join lateral (
  select count(*) as parts, coalesce(sum(amount), 0) as amount, coalesce(sum(lost), 0) as lost
  from deposit_reversals where deposit_id = deposits.id
) as taken
where taken.amount <> taken_back
  or case when parts = 0 then state in ('reversed', 'lost') when taken.lost > 0 then state <> 'lost' else state <> 'reversed' end;
