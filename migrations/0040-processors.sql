-- What we know of payments, refunds, disputes and payouts at payment processors (src/rails/processor). Nothing here is a person's.
set local lock_timeout = '5s';

-- One thing at a processor that is asked about until it has ended, so that no lost callback costs anything. It is written before
-- the processor is asked to make it. `status`: what it answered last. `settled`: its money has moved. `look_at`: when it is
-- asked about next, in real time; null: no more. Whoever takes one moves `look_at` on, so that two processes do not ask together.
create table processor_items (
  rail text not null,
  kind text not null check (kind in ('payment', 'refund', 'payout', 'dispute', 'disputes')),
  id text not null,
  reference text not null,
  status text not null default '',
  settled boolean not null default false,
  opened_at timestamptz not null,
  look_at timestamptz,
  primary key (rail, kind, id)
);
create index processor_items_due on processor_items (rail, look_at) where look_at is not null;
create index processor_items_by_reference on processor_items (rail, reference);

-- Money that moved on a processor's account, as the processor said; negative for what left it. Once per key, like rail events:
-- the account's statement, and its balance, for processors that offer neither.
create table processor_movements (
  rail text not null,
  key text not null,
  payment text not null,
  reference text not null,
  asset text not null,
  amount numeric(38, 0) not null,
  at timestamptz not null,
  primary key (rail, key)
);
create index processor_movements_by_asset on processor_movements (rail, asset);
