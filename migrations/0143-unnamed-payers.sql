-- A bank that does not name who paid the order of a verified customer, from an account that was never seen: staff decide.
set local lock_timeout = '5s';

alter table payer_checks
  drop constraint payer_checks_outcome_check,
  add constraint payer_checks_outcome_check check (
    outcome in ('match', 'known_account', 'not_compared', 'accept', 'unnamed', 'hold', 'return'));
