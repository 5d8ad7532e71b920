-- What a chain was given to pay is stamped by the service, with a key that the database does not have: a row that somebody writes
-- with the service's role is not signed.
set local lock_timeout = '5s';

alter table bitcoin_payments add column stamp bytea;
alter table xrpl_payments add column stamp bytea;
alter table evm_sends add column stamp bytea;
