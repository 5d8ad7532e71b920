set local lock_timeout = '5s';

-- Challenges of sign-ins with a passkey that were used: each works once. Times are real; a challenge that is over is forgotten.
create table used_challenges (
  hash bytea primary key,
  until timestamptz not null
);
create index used_challenges_over on used_challenges (until);

-- The passkeys of operators that nobody has ended, as far as rows tell: whether an operator is asked for one. What they sign is checked.
create view passkeys as
select operator_keys.id, operator_id from operator_keys
where kind = 'passkey' and not exists (
  select from approvals where approvals.kind = 'operator_key_ended' and subject = operator_keys.id::text and stamp is not null);
