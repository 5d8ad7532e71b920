-- A booking that a bank reported once and its statement does not hold can be taken back by two operators: it is kept as withdrawn.
set local lock_timeout = '5s';

alter table iso20022_bookings drop constraint iso20022_bookings_state_check;
alter table iso20022_bookings add constraint iso20022_bookings_state_check check (state in ('pending', 'booked', 'withdrawn'));
