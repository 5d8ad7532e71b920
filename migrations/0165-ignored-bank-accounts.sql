-- Accounts in a bank's files that are not ours to book, as a person has said; those of CONFIG_FILE are not here (src/rails/iso20022).
set local lock_timeout = '5s';

create table iso20022_ignored_accounts (
  rail text not null references iso20022_rails,
  account text not null,
  reason text not null,
  actor text not null,
  at timestamptz not null,
  primary key (rail, account)
);
