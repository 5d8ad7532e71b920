-- A database that was restored has forgotten what left. Where nobody refuses a second payment under one key, as a bank does not, what may have
-- left is not ordered again (docs/decisions/0066). `restored_at` and `restored_below`: what has a lower row id was there before.
set local lock_timeout = '5s';

alter table service_state
  add column restored_at timestamptz,
  add column restored_below bigint;

-- When each machine has last been here, in the database's time, and (as the machine "*") when operators have last opened the exchange. Where a
-- machine remembers to have been here later, the database went back in time.
create table sightings (
  machine text primary key,
  at timestamptz not null
);

-- What was there when the database was found restored may have been paid out before, since its order exists: unless two operators have ended a
-- payment of it since.
create view unsure_payouts as
select payouts.id, coalesce(transactions.created_at, ordered_at) as since, restored_at as until
from service_state
join payouts on coalesce(transaction_id, payouts.id) < restored_below
left join transactions on transactions.id = transaction_id
where coalesce(transactions.created_at, ordered_at) <= restored_at and not exists (
  select from payouts as former
  join plans as ended on ended.id = former.plan_id and ended.state = 'never'
  join approvals on approvals.kind = 'payout_end' and approvals.subject = former.id::text and approvals.at >= restored_at
  where former.transaction_id = payouts.transaction_id and former.refund_id is not distinct from payouts.refund_id);

-- `unsure_since`: when the database was found restored, before which the payment may have left in a file that it does not know.
alter table iso20022_payments add column unsure_since timestamptz;
create index iso20022_payments_unsure on iso20022_payments (unsure_since) where unsure_since is not null and state = 'sent';
