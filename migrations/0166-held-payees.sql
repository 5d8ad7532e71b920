-- A payout that waits for staff, because the bank of an earlier one has said that somebody else holds its account. `payee_accepted_at`: staff
-- have released an order although the bank said so of this payout.
set local lock_timeout = '5s';

alter table status_history
  drop constraint status_history_kind,
  add constraint status_history_kind check (case
    when kind in ('created', 'opened', 'completed', 'identity_refused', 'deadline_passed', 'cancelled', 'refund_address_given',
      'refund_requested', 'refund_ordered', 'price_accepted', 'held', 'released', 'resumed', 'settled') then subject is null
    when kind in ('deposit_final', 'deposit_matched') then subject is not distinct from 'deposit'
    when kind = 'deposit_reversed' then subject is not distinct from 'reversal'
    when kind = 'deposit_reinstated' then subject is not distinct from 'reinstatement'
    when kind = 'exchanged_again' then subject is not distinct from 'quote'
    when kind = 'refund_origin_unknown' then subject is not distinct from 'refund'
    when kind in ('payout_prepared', 'payout_paid', 'payout_failed', 'payout_returned', 'payout_return_withdrawn',
      'payout_needs_approval', 'payout_approved', 'payout_address_inactive', 'payout_unknown', 'payout_known',
      'payout_address_given', 'payout_ordered_again', 'payout_payee_differs', 'refund_prepared', 'refund_paid', 'refund_failed', 'refund_returned',
      'refund_return_withdrawn', 'refund_needs_approval') then subject is not distinct from 'payout'
    else false end);

alter table payouts add column payee_accepted_at timestamptz;
create index iso20022_payments_other_payees on iso20022_payments (rail, key) where payee_match in ('close', 'none');
