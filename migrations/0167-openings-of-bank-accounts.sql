-- Accounts at a bank whose opening balance was booked for them alone. One without a row is in the sum of its rail, if that was booked later
-- than its first statement came.
set local lock_timeout = '5s';

create table opened_bank_accounts (
  place text not null,
  account text not null,
  asset text not null references assets,
  entry_ref bigint not null unique,
  primary key (place, account, asset)
);
