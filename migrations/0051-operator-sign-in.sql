-- Signing in at the console: limits that cannot keep an operator out, a step between password and code, recovery codes, invitations.
set local lock_timeout = '5s';

-- Wrong attempts, counted until a real time, under a keyed hash of what is limited: an address in a network, an address, a browser, a network.
create table sign_in_failures (
  key bytea primary key,
  failures integer not null check (failures >= 0),
  until timestamptz not null
);
create index sign_in_failures_over on sign_in_failures (until);

alter table operators drop column failures, drop column failed_at;

-- A browser whose password was right and whose code is missing. `hash` is of its cookie. It is deleted when it is used.
create table pending_sign_ins (
  hash text primary key,
  operator_id bigint not null references operators,
  created_at timestamptz not null
);

-- Codes that replace the second factor once each. `hash` is keyed, so that a copy of the database opens nothing.
create table recovery_codes (
  operator_id bigint not null references operators,
  hash bytea not null,
  used_at timestamptz,
  primary key (operator_id, hash)
);

-- Who was invited to become an operator. `hash` is of the token in the link.
create table operator_invitations (
  hash text primary key,
  email text not null,
  name text not null,
  role text not null check (role in ('viewer', 'support', 'finance', 'compliance', 'admin')),
  invited_by text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
