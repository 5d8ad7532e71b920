set local lock_timeout = '5s';

-- Policies, hedges and rebalances that were approved before approvals had stamps. What is still proposed is approved anew.
insert into approvals (kind, subject, approver, at, carried_over)
select 'policy_in_force', id::text, approved_by, effective_at, true from policies where approved_at is not null order by id;
insert into approvals (kind, subject, approver, at, carried_over)
select 'policy_rejected', id::text, rejected_by, rejected_at, true from policies where rejected_at is not null order by id;

insert into approvals (kind, subject, approver, at, carried_over)
select 'hedge', hedge_id::text, operator, approved_at, true
from hedge_approvals join hedges on hedges.id = hedge_id and state <> 'proposed' order by approved_at, operator;
insert into approvals (kind, subject, approver, at, carried_over)
select 'hedge', id::text, proposed_by, proposed_at, true from hedges
where state not in ('proposed', 'canceled') and not exists (select from hedge_approvals where hedge_id = id) order by id;
drop table hedge_approvals;

insert into approvals (kind, subject, approver, at, carried_over)
select 'rebalance', rebalance_id::text, 'operator:' || operator_id, approved_at, true
from rebalance_approvals join rebalances on rebalances.id = rebalance_id and state <> 'proposed' order by approved_at, operator_id;
drop table rebalance_approvals;
