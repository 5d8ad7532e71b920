-- Money in suspense is not given away while its rail takes it back: what reverses a payment is looked up by it.
set local lock_timeout = '5s';

create index rail_events_reversals on rail_events (rail, payment) where reverses;
