-- The books for outsiders: read-only views by which anyone can check them without our code.
set local lock_timeout = '5s';

-- Every posting as its two sides; per entry and asset the amounts add up to zero. `transaction_id` is the public one.
create view audit_postings as
select entries.id as entry_id, transactions.public_id as transaction_id, side.account, entries.kind, postings.asset,
  side.amount, entries.at
from entries
join postings on postings.entry_id = entries.id
cross join lateral (values (debit, postings.amount), (credit, -postings.amount)) as side (account, amount)
left join transactions on transactions.id = entries.transaction_id;

-- Every payout with the plan that pays it. A payout that nobody has planned yet has no row here.
create view audit_payouts as
select transactions.public_id as transaction_id, plans.id as plan_id, plans.rail, plans.state, plans.evidence,
  coalesce(plans.ended_at, plans.planned_at) as at
from plans
join payouts on payouts.plan_id = plans.id
join transactions on transactions.id = payouts.transaction_id;
