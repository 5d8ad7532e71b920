-- Numbers of statements that will not come, as a person has said (src/rails/iso20022). Empty account: all of the bank's.
set local lock_timeout = '5s';

create table iso20022_skips (
  id bigint generated always as identity primary key,
  rail text not null references iso20022_rails,
  account text not null,
  first_number bigint not null,
  last_number bigint not null check (last_number >= first_number),
  reason text not null,
  actor text not null,
  at timestamptz not null
);
create index iso20022_skips_rail on iso20022_skips (rail);
