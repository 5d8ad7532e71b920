-- A processor's own total has an opening balance that is booked there, too; one that was booked before was a difference for ever,
-- and could be charged off as a fee.
set local lock_timeout = '5s';

insert into processor_movements (rail, key, payment, reference, asset, amount, at)
select rail, 'payout:' || ref, '', '', postings.asset, amount, at
from (select rail from processor_items union select rail from processor_movements) as processors
join postings on debit = 'held:' || rail and credit = 'capital'
join entries on entries.id = entry_id and kind = 'capital'
on conflict (rail, key) do nothing;
