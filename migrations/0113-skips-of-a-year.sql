set local lock_timeout = '5s';

-- The day of the statement after the skipped ones: the same numbers come again in another year. Skips of before hold for every year.
alter table iso20022_skips add column before_on date;
