-- A payment in the journal of the signer that no payout is behind is a break.
set local lock_timeout = '5s';

alter table breaks drop constraint breaks_cause_check;
alter table breaks add constraint breaks_cause_check check (cause in ('missing', 'double', 'other_amount', 'other_account',
  'charge_not_booked', 'returned', 'recalled', 'swallowed', 'lost_statement', 'not_ours', 'opening_differs', 'signed_unknown')) not valid;
alter table breaks validate constraint breaks_cause_check;
