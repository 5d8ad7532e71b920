-- Who customers are: identities shared by their partners, what identity providers told, and who is not served.
set local lock_timeout = '5s';

-- A shared token that was taken over, by one partner and once: it is found by a keyed hash, and kept in no other form.
-- `personal` is what the provider knows of the person; `applicant_hash` finds it by the provider's own id, which is in there.
-- `asked_at` (real time) is when the provider was asked for it: an older answer never replaces a newer one. `changed_at` is of
-- business time.
create table identity_imports (
  id bigint primary key,
  partner_id bigint not null references partners,
  partner_customer_id bigint not null references partner_customers,
  provider text not null,
  token_hash bytea not null unique,
  applicant_hash bytea not null,
  data_key_id bigint not null references data_keys,
  personal bytea not null,
  asked_at timestamptz not null,
  changed_at timestamptz not null,
  created_at timestamptz not null
);
create index identity_imports_customer on identity_imports (partner_customer_id);
create index identity_imports_applicant on identity_imports (applicant_hash);

-- What a provider told by a callback, once per its own key, without personal data. `received_at` is of real time.
create table identity_facts (
  id bigint generated always as identity primary key,
  provider text not null,
  fact_key text not null,
  kind text not null,
  applicant_hash bytea not null,
  body json not null,
  at timestamptz,
  received_at timestamptz not null,
  unique (provider, fact_key)
);

-- Every decision of an operator to serve somebody no more, or again; the last one of an e-mail address holds. The reason is
-- sealed with the customer's key.
create table customer_blocks (
  id bigint generated always as identity primary key,
  partner_customer_id bigint not null references partner_customers,
  email_hash bytea not null,
  is_blocked boolean not null,
  actor text not null,
  data_key_id bigint not null references data_keys,
  reason bytea not null,
  at timestamptz not null
);
create index customer_blocks_email on customer_blocks (email_hash, id);

-- The status that the partner was last told, and how many events told of it.
alter table partner_customers
  add column told_status text not null default 'not_started',
  add column events integer not null default 0;
create index partner_customers_customer on partner_customers (customer_id) where customer_id is not null;

-- What was done lately for an address that is not proven, for risk and limits. Once it is, `transactions_of_customer` has it.
create index transactions_of_partner_customer on transactions (partner_customer_id, id)
  where partner_customer_id is not null and customer_id is null;
