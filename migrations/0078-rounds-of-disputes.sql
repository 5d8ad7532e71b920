-- A dispute has rounds: one that was won is opened again in pre-arbitration, then in arbitration, under the same id.
set local lock_timeout = '5s';

-- `dispute_round`: -1 for an inquiry, 0 for the chargeback, then pre-arbitration, arbitration and what reverses them; null is 0.
alter table rail_events add column dispute_round integer;
create index rail_events_disputes on rail_events (rail, dispute) where dispute is not null;

alter table disputes add column round integer not null default 0;

-- What a processor said of a dispute, in the order of its rounds: what is out of date moves nothing, and is kept with an amount of 0.
alter table processor_movements add column dispute text, add column step integer;
create index processor_movements_disputes on processor_movements (rail, dispute) where dispute is not null;
update processor_movements as movement set dispute = event.dispute, step = case when event.kind = 'dispute_won' then 1 else 0 end
from rail_events as event
where event.rail = movement.rail and event.event_key = movement.key and event.dispute is not null;
