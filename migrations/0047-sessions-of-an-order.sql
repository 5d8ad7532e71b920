set local lock_timeout = '5s';

-- A customer is emailed when an order is opened in another browser, which is looked up with each new session.
create index checkout_sessions_of_transaction on checkout_sessions (transaction_id);
