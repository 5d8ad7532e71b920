-- What an operator may change without a deploy: fees, limits, deadlines and the like, as versioned documents.
set local lock_timeout = '5s';

-- One version of one kind. `partner_id`: whose exchanges it is for, null is everybody's; `document` null gives a partner the house's
-- again. Times are business time. Status follows: rejected, proposed (neither approved nor rejected), scheduled (before
-- `effective_at`), active (the latest that is effective), superseded. Version 1 is what the release that first ran shipped with.
create table policies (
  id bigint generated always as identity primary key,
  kind text not null,
  version integer not null check (version > 0),
  partner_id bigint references partners,
  document jsonb,
  author text not null,
  reason text not null,
  proposed_at timestamptz not null,
  effective_at timestamptz not null,
  approved_by text,
  approved_at timestamptz,
  rejected_by text,
  rejected_at timestamptz,
  unique (kind, version),
  check ((approved_at is null) = (approved_by is null)),
  check ((rejected_at is null) = (rejected_by is null)),
  check (document is not null or partner_id is not null)
);
comment on table policies is 'Versioned policy documents. A version never changes; once effective it is never rejected.';
create index policies_of_partner on policies (partner_id) where partner_id is not null;
