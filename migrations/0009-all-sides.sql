-- Every side and every way to pay: what customers are told, what is taken back, what comes back.
set local lock_timeout = '5s';

-- The deposit method that an instruction is for, and where the customer pays (src/rails/rail.ts, PayTo). All that were
-- given before this file are pages of the card processor.
alter table deposit_instructions add column method text not null default 'VISA_MC_1',
  add column pay_to json not null default '{"kind": "page"}';
alter table deposit_instructions alter column method drop default, alter column pay_to drop default;

-- The rail's own id of the payment: one payment is one deposit, under however many words it is told of.
alter table deposits add column payment text;
create unique index deposits_payment on deposits (rail, payment) where payment is not null;

-- `reversed`: taken back before it was exchanged. `lost`: after, at our expense.
alter table deposits drop constraint deposits_state_check,
  add constraint deposits_state_check check (state in ('seen', 'final', 'reversed', 'lost'));

-- How often money of this person's was taken back after we had exchanged it.
alter table customers add column chargebacks integer not null default 0 check (chargebacks >= 0);

-- The earlier orders of a customer, for warning of addresses that look like one of theirs.
create index transactions_of_customer on transactions (customer_id, id) where customer_id is not null;
