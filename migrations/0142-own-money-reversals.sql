-- A deposit that was booked as the house's own money, and that its bank took back or had reported by mistake: it is not ours after all.
set local lock_timeout = '5s';

-- Its `id` is the ref of its entry.
create table own_money_reversals (
  id bigint primary key,
  own_money_id bigint not null references own_money,
  amount numeric(38, 0) not null check (amount > 0),
  at timestamptz not null
);
create index own_money_reversals_of on own_money_reversals (own_money_id);
create index own_money_deposit on own_money (deposit_id) where deposit_id is not null;
