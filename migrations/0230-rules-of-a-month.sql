-- A rule books what repeats once a month, or each time. Rules of before book each time, as they did.
set local lock_timeout = '5s';

alter table own_money_rules add column every text not null default 'booking' check (every in ('month', 'booking'));
alter table own_money_rules alter column every drop default;

-- The bank's day of what a rule has booked: the day that its month is of.
alter table own_money add column bank_day date;
create index own_money_of_rules on own_money (rule_id) where rule_id is not null;
