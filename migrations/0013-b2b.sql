-- Institutions' own exchanges: the addresses that a partner may be paid to, and which of them a transaction pays.
set local lock_timeout = '5s';

-- An account or a wallet that a partner has registered. `details` (the address or account, memo or BIC, holder, label) are
-- sealed; they are found by keyed hashes: `same` of all that makes two registrations one, `address_hash` of the address or
-- account alone, `alike` of a wallet's first and last characters. `asset` is a wallet's, or the one currency that an
-- account is for; null is any that its category pays. `active_from` (business time) ends the cooling-off time,
-- `cooling_off_seconds` long as it was set when the address came; where `needs_approval`, an operator must have approved too.
-- `events` counts the events about the address.
create table payout_addresses (
  id bigint primary key,
  partner_id bigint not null references partners,
  type text not null check (type in ('bank_account', 'crypto_wallet')),
  category text not null,
  asset text references assets,
  status text not null check (status in ('pending_review', 'active', 'rejected', 'disabled')),
  needs_approval boolean not null,
  approved_at timestamptz,
  cooling_off_seconds integer not null default 0 check (cooling_off_seconds >= 0),
  active_from timestamptz not null,
  events integer not null default 0,
  same bytea not null,
  address_hash bytea not null,
  alike bytea,
  data_key_id bigint not null references data_keys,
  details bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (partner_id, same),
  check (type = 'bank_account' or asset is not null)
);
create index payout_addresses_found on payout_addresses (partner_id, address_hash);
create index payout_addresses_alike on payout_addresses (partner_id, alike) where alike is not null;

-- The registered address that a B2B transaction pays to. Not valid: what was there before is all retail and has none, so there
-- is nothing to be read while the table is locked.
alter table transactions add column payout_address_id bigint;
alter table transactions add constraint transactions_payout_address
  foreign key (payout_address_id) references payout_addresses not valid;
alter table transactions add constraint transactions_b2b_pays_registered
  check ((kind = 'b2b') = (payout_address_id is not null)) not valid;
