-- What sending may cost is reserved along with what is sent.
set local lock_timeout = '5s';

-- `most_fee`: what a payout's rail may take at its place for carrying it out, in `fee_asset`; reserved as long as the amount is. Null
-- where the rail takes nothing there, and of payouts that were ordered before: nothing but their amount was reserved.
alter table payouts
  add column fee_asset text references assets,
  add column most_fee numeric(38, 0),
  add constraint payouts_fee check ((fee_asset is null) = (most_fee is null) and most_fee >= 0);
