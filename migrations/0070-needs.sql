-- What a person is needed for is looked up often: only what has not ended is read, by indexes that have nothing else. What is on its
-- way out is found through the orders and refunds that it belongs to, so that a payout costs nothing more.
set local lock_timeout = '5s';

create index refunds_open on refunds (ordered_at) where state in ('ordered', 'address_needed', 'sent', 'failed');
create index transactions_confirming on transactions (id)
  where status = 'waiting_for_deposit' and status_details = 'confirming';
create index jobs_failed on jobs (run_at) where attempts > 0;
create index policies_open on policies (proposed_at) where approved_at is null and rejected_at is null;
create index webhook_replays_open on webhook_replays (asked_at) where ended_at is null;
