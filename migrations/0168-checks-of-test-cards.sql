-- What does not match at a test card of the sandbox's processor: the address (avs) or the security code (cvc). Null: nothing is checked.
set local lock_timeout = '5s';

alter table sandbox.card_payments add column mismatch text check (mismatch in ('avs', 'cvc'));
