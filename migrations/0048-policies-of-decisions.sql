set local lock_timeout = '5s';

-- The policies that a decision used: `{"approvals": 3}`. `number` is its entry in the status history. Only decisions that hold
-- money have one, so an ordinary order costs nothing more.
create table decision_policies (
  transaction_id bigint not null references transactions,
  number integer not null,
  policies jsonb not null,
  primary key (transaction_id, number)
);
comment on table decision_policies is 'Kinds and versions of the policies that put a transaction or a refund on hold.';
