set local lock_timeout = '5s';

-- What was backed up last, as an operator or a backup program has confirmed: `key` is the master key, `database` this database.
create table confirmed_backups (
  what text primary key check (what in ('key', 'database')),
  at timestamptz not null,
  confirmed_by text not null
);

-- Addresses that e-mails do not reach, by the keyed hash of the address. They get nothing but codes that their owner asks for, and
-- a code that is entered removes the row. `code` is the mail server's reply; null where a bounce was reported later.
create table mail_bounces (
  to_hash bytea primary key,
  at timestamptz not null,
  code integer,
  reason text not null
);
