-- A checkout link carries a random token instead of the transaction's id.
set local lock_timeout = '5s';

-- Null for transactions that were created before: their links carry the id, and keep working.
alter table transactions add column checkout_token text;

create unique index transactions_by_checkout_token on transactions (checkout_token) where checkout_token is not null;
