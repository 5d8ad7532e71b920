set local lock_timeout = '5s';

-- Keys that operators sign approvals with, numbered without gaps. A key counts once earlier ones have countersigned it (`approvals` of
-- kind operator_key); the first one is vouched for by the machine. `public_key` is a SubjectPublicKeyInfo for ed25519, a COSE key for a
-- passkey, whose `credential` the browser knows it by. `site`: the origin that a passkey signs for.
create table operator_keys (
  id bigint primary key,
  number integer not null unique check (number > 0),
  operator_id bigint not null references operators,
  kind text not null check (kind in ('ed25519', 'passkey')),
  name text not null,
  public_key bytea not null,
  credential bytea not null unique,
  site text,
  added_at timestamptz not null,
  check ((kind = 'passkey') = (site is not null))
);

-- Who has approved what, each row once and for all. `hash` is of the exact content (src/exchange/approvals/content.ts). `approver`:
-- `operator:7`, `cli:ann`, `system`. `signature` is by the key `key_id`, as JSON; without one the service vouches for the approver.
-- `stamp`: a keyed hash of the whole row, by a key that is not in the database. A row without a right one counts for nothing.
-- `carried_over`: from before there were stamps; only the owner of the tables can write it.
create table approvals (
  id bigint generated always as identity primary key,
  kind text not null,
  subject text not null,
  hash bytea,
  approver text not null,
  key_id bigint references operator_keys,
  signature text,
  at timestamptz not null,
  stamp bytea,
  carried_over boolean not null default false,
  check ((key_id is null) = (signature is null))
);
create index approvals_of on approvals (kind, subject);

-- Operators as they are.
insert into approvals (kind, subject, approver, at, carried_over)
select 'operator', id, 'system', created_at, true from operators order by id;

-- What was approved and has left. What still waits for approvals is approved anew.
insert into approvals (kind, subject, approver, at, carried_over)
select 'payout', payout_id, 'operator:' || operator_id, approved_at, true
from payout_approvals join payouts on payouts.id = payout_id and plan_id is not null order by approved_at, operator_id;
drop table payout_approvals;
