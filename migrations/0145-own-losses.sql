-- What was paid out twice and does not come back, or covers such a loss, is booked by a person as a loss, and never by a rule.
set local lock_timeout = '5s';

alter table own_money
  drop constraint own_money_category_check,
  add constraint own_money_category_check check (
    category in ('capital', 'expense', 'fee', 'interest', 'tax', 'transfer', 'loss'));
