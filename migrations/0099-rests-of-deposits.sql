-- A payment that was captured in part and then whole: what its rail reports of it later is more than the deposit that was booked first.
set local lock_timeout = '5s';

-- What came of a payment after its deposit was booked. `id` is the ref of its entry; `transaction_id`: whose it was then, null in suspense.
create table deposit_rests (
  id bigint primary key,
  deposit_id bigint not null references deposits deferrable initially deferred,
  event_id bigint not null unique references rail_events,
  transaction_id bigint references transactions,
  amount numeric(38, 0) not null check (amount > 0)
);
create index deposit_rests_deposit on deposit_rests (deposit_id);
-- What a processor has said of one payment before.
create index processor_movements_payments on processor_movements (rail, payment);

-- The amount of a deposit never changes but by a rest, which is kept: the service itself may not change it.
create function deposit_grows() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update deposits set amount = amount + new.amount where id = new.deposit_id;
  return null;
end $$;
create trigger deposit_grows after insert on deposit_rests for each row execute function deposit_grows();
