-- Prepared payouts on chains that an operator has ended (src/rails/chain/ended.ts).
set local lock_timeout = '5s';

-- A payout that was ended before anything was signed for it. It is never taken up again.
create table chain_ended (
  network text not null,
  plan_key text not null,
  primary key (network, plan_key)
);

-- On Bitcoin, a payout may end without a transfer.
alter table bitcoin_payments drop constraint bitcoin_payments_check;
alter table bitcoin_payments add constraint bitcoin_payments_check
  check (case when state = 'never' then true else (send_id is null) = (state = 'waiting') end);
