-- Payments of which another amount arrived than was sent, for reconciliation.
set local lock_timeout = '5s';

create index plans_arrived_otherwise on plans (id) where evidence ->> 'arrived' is not null;
