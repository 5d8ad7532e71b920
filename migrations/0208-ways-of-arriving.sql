-- How coins came that no payment of the XRP Ledger brought: the type of the transaction. Null: by a payment to us.
set local lock_timeout = '5s';

alter table xrpl_arrivals add column arrived_by text;
alter table breaks drop constraint breaks_cause_check;
alter table breaks add constraint breaks_cause_check check (cause in ('missing', 'double', 'other_amount', 'other_account',
  'charge_not_booked', 'returned', 'recalled', 'swallowed', 'lost_statement', 'not_ours', 'opening_differs', 'signed_unknown',
  'arrived_unseen')) not valid;
alter table breaks validate constraint breaks_cause_check;
