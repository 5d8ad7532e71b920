-- What the bank of a payee says of the name that we gave: `close` and `none` wait for a person at our bank. The names that it has are sealed.
set local lock_timeout = '5s';
alter table iso20022_payments
  add column payee_match text check (payee_match in ('match', 'close', 'none', 'unknown')),
  add column payee_names bytea;
create index iso20022_payments_payees on iso20022_payments (rail, submitted_at) where payee_match in ('close', 'none') and state = 'sent';
