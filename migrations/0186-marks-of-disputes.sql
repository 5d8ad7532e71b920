-- A dispute of a payment that its processor had withdrawn moves nothing any more. It marks its customer all the same, once a payment.
set local lock_timeout = '5s';

alter table disputes add column marks_customer boolean not null default false;
