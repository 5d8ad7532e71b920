-- E-mails to operators about what needs them.
set local lock_timeout = '5s';

-- Whether an operator gets e-mails: null: none; `now`: about what is urgent; `today`: about what a person must do within a day, too, but
-- not at night in the operator's time zone.
alter table operators
  add column need_mail text check (need_mail in ('now', 'today')),
  add column time_zone text not null default 'UTC';

-- What an operator was or will be written about, by what names the need. Gone when the need is. Times are real.
create table need_notices (
  operator_id bigint not null references operators,
  need text not null,
  seen_at timestamptz not null,
  mailed_at timestamptz,
  primary key (operator_id, need)
);
