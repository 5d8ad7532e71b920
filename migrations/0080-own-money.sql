-- The house's own money at a bank: capital, expenses, fees, interest, tax and transfers between own accounts, booked by a person or by a
-- rule for what repeats.
set local lock_timeout = '5s';

-- A rule that books what has no order: a bank's name and text are compared without case. `most`: the most that it books at once.
create table own_money_rules (
  id bigint primary key,
  direction text not null check (direction in ('in', 'out')),
  party text not null check (party <> ''),
  text text not null,
  asset text not null references assets,
  most numeric(38, 0) not null check (most > 0),
  category text not null check (category in ('capital', 'expense', 'fee', 'interest', 'tax', 'transfer')),
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz
);

-- One booking of the bank, or one deposit in suspense, that was booked as our own. `id` is the ref of its entry.
create table own_money (
  id bigint primary key,
  rail text not null,
  payment text not null,
  deposit_id bigint references deposits,
  direction text not null check (direction in ('in', 'out')),
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  category text not null check (category in ('capital', 'expense', 'fee', 'interest', 'tax', 'transfer')),
  rule_id bigint references own_money_rules,
  reason text not null,
  booked_by text not null,
  booked_at timestamptz not null,
  unique (rail, payment),
  check ((direction = 'in') = (deposit_id is not null))
);
