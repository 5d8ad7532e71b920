set local lock_timeout = '5s';

-- The widget secret before the last rotation, and until when (real time) it is accepted.
alter table partners
  add column previous_widget_secret bytea,
  add column previous_widget_until timestamptz;
