-- A break says its cause in the field's own terms, and a bank's own findings about its statements are breaks, too. A booking keeps the
-- reference of ours that its message has, also where it is not credited to it.
set local lock_timeout = '5s';

alter table iso20022_bookings add column stated_reference text not null default '';
update iso20022_bookings set stated_reference = reference where reference <> '';

alter table breaks drop constraint breaks_cause_check, drop constraint breaks_kind_check, drop constraint breaks_amount_check;
update breaks set cause = case cause
  when 'event_missing' then 'swallowed' when 'event_not_settled' then 'swallowed' when 'payout_not_settled' then 'swallowed'
  when 'not_on_statement' then 'missing' when 'other_amount' then 'other_amount'
  when 'no_statement' then case when amount > 0 then 'swallowed' else 'missing' end
  else case when kind = 'balance' then 'opening_differs' else 'not_ours' end end;
alter table breaks
  add constraint breaks_cause_check check (cause in ('missing', 'double', 'other_amount', 'other_account', 'charge_not_booked',
    'returned', 'recalled', 'swallowed', 'lost_statement', 'not_ours', 'opening_differs')),
  add constraint breaks_kind_check check (kind in ('not_booked', 'not_stated', 'amount', 'balance', 'statement')),
  add constraint breaks_amount_check check (amount <> 0 or kind = 'statement');
