-- One message may say what was sent and what the bank kept of it, and another one only what came: both are one booking.
set local lock_timeout = '5s';

alter table iso20022_bookings
  add column entry_amount numeric(38, 0),
  add column charge_of bigint references iso20022_bookings;
create index iso20022_bookings_entry_amount on iso20022_bookings (rail, account, entry_amount) where entry_amount is not null;
create index iso20022_bookings_charge_of on iso20022_bookings (charge_of) where charge_of is not null;

-- What was booked before: a charge, and the only payment of its entry.
with pairs as (
  select charge.id as charge_id, min(paid.id) as paid_id from iso20022_bookings as charge
  join iso20022_bookings as paid on paid.file_id = charge.file_id and paid.account = charge.account
    and paid.entry_reference = charge.entry_reference and paid.kind <> 'charge'
  where charge.kind = 'charge' and charge.servicer_reference is null
  group by charge.id having count(*) = 1)
update iso20022_bookings as charge set charge_of = paid_id from pairs where charge.id = charge_id;
update iso20022_bookings as paid
  set entry_amount = case paid.direction when 'in' then paid.amount - charge.amount else paid.amount + charge.amount end
from iso20022_bookings as charge
where charge.charge_of = paid.id and (paid.direction = 'out' or paid.amount > charge.amount);
