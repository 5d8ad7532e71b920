-- An asset is never removed or renamed: nobody but the owner may touch the table, and the service writes the catalog's names only. A foreign key
-- to it protects nothing, and costs each order seven locks of rows that all orders share.
set local lock_timeout = '5s';

alter table postings drop constraint postings_asset_fkey;
alter table transactions
  drop constraint transactions_from_asset_fkey,
  drop constraint transactions_to_asset_fkey;
alter table deposits drop constraint deposits_asset_fkey;
alter table deposit_instructions drop constraint deposit_instructions_asset_fkey;
alter table payouts drop constraint payouts_asset_fkey, drop constraint payouts_fee_asset_fkey;
alter table valuations drop constraint valuations_asset_fkey;
