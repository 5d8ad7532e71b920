-- Identity checks that begin at our checkout, the terms that customers accept there, and the sandbox provider's own memory.
set local lock_timeout = '5s';

-- A check that a customer began, written down before the provider is asked: `reference` is our name for it, kept by the provider.
-- What the provider knows then is the import `import_id`, which is there once the provider has answered. The last check of a
-- customer whose import can still be read is the one that goes on.
create table identity_checks (
  id bigint generated always as identity primary key,
  reference text not null unique,
  customer_id bigint not null references customers,
  provider text not null,
  import_id bigint not null unique,
  started_at timestamptz not null
);
create index identity_checks_customer on identity_checks (customer_id, id);

-- Which versions of the terms and of the privacy notice a customer has accepted for a transaction, and where they stood. Once per
-- transaction and versions; `at` is business time.
create table accepted_terms (
  id bigint generated always as identity primary key,
  transaction_id bigint not null references transactions,
  customer_id bigint not null references customers,
  terms_version text not null,
  terms_url text not null,
  privacy_version text not null,
  privacy_url text not null,
  at timestamptz not null,
  unique (transaction_id, terms_version, privacy_version)
);

-- Persons whom the sandbox's identity provider checks. It keeps nothing personal: who somebody is follows from the id.
create table sandbox.identity_applicants (
  applicant_id text primary key,
  reference text not null unique,
  state text not null check (state in ('open', 'document', 'needs_info', 'in_review', 'approved', 'rejected')),
  changes integer not null default 0,
  changed_at timestamptz not null
);
