-- A bank that has reported what never was: a deposit, which its payer has not taken back, or a recall. Neither is its customer's doing.
set local lock_timeout = '5s';

alter table rail_events
  drop constraint rail_events_kind,
  add constraint rail_events_kind check (kind in ('deposit_seen', 'deposit_final', 'deposit_declined', 'deposit_reversed',
    'deposit_withdrawn', 'reversal_withdrawn', 'dispute_opened', 'dispute_won', 'dispute_lost', 'payout_settled', 'payout_failed',
    'payout_returned', 'unknown')),
  drop constraint rail_events_reverses,
  add constraint rail_events_reverses check (reverses = (kind in ('deposit_reversed', 'deposit_withdrawn')
    or kind in ('dispute_opened', 'dispute_lost') and coalesce(funds_moved, false)));
