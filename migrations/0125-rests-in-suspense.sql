-- More of a payment whose first part has ended in suspense: returned, booked as our own, or written off. The rest waits there, too.
set local lock_timeout = '5s';

-- How much of a deposit had ended before the rest of it was given to a transaction: of the payment, and not of the transaction.
alter table deposits add column ended_before numeric(38, 0) not null default 0 check (ended_before between 0 and amount);

-- What came is booked as our own as often as more of it comes; what left, once.
alter table own_money drop constraint own_money_rail_payment_key;
create unique index own_money_left_once on own_money (rail, payment) where direction = 'out';
create index own_money_payment on own_money (rail, payment);
