-- Who signs in decides who approves. What lets an operator in is stamped by the service, with a key that the database does not have:
-- sessions, right passwords that wait for their code, tokens, and invitations. `carried_over`: from before; only the owner writes it.
set local lock_timeout = '5s';

delete from operator_sessions;
delete from pending_sign_ins;
delete from operator_invitations;
alter table operator_sessions add column stamp bytea;
alter table pending_sign_ins add column stamp bytea;
alter table operator_invitations add column stamp bytea;
alter table operator_tokens add column stamp bytea, add column carried_over boolean not null default true;
alter table operator_tokens alter column carried_over set default false;

create trigger session_stays_ended before update on operator_sessions for each row
  when (old.ended_at is not null and new.ended_at is null) execute function written_stays();
create trigger token_stays_revoked before update on operator_tokens for each row
  when (old.revoked_at is not null and new.revoked_at is null) execute function written_stays();
create trigger invitation_stays_used before update on operator_invitations for each row
  when (old.used_at is not null and new.used_at is null) execute function written_stays();

-- Whether an operator may have a passkey: what ends one is a row, too, and is checked.
create or replace view passkeys as select id, operator_id from operator_keys where kind = 'passkey';

-- Operators as they are now, in full: their passwords and second factors were not stamped. Counts together with the stamp of who they are.
insert into approvals (kind, subject, hash, approver, at, carried_over)
select 'operator', id, sha256(convert_to(concat_ws(E'\n', email, role,
    coalesce(to_char(disabled_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ''), password_hash,
    totp_secret is not null and totp_step is not null), 'UTF8')), 'system', now(), true
from operators order by id;
