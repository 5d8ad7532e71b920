-- Disputes at the sandbox's card processor.
set local lock_timeout = '5s';

-- One row a disputed payment. The disputed money is out of the payment (`refunded`) while the dispute is open, and for good when it
-- is lost.
create table sandbox.disputes (
  payment_id bigint primary key references sandbox.card_payments,
  state text not null check (state in ('open', 'won', 'lost')),
  respond_by timestamptz not null
);
