-- Keys that end by themselves, and the audit as operators read it.
set local lock_timeout = '5s';

-- Real time, not business time: a key's life is no part of the business.
alter table api_keys add column expires_at timestamptz;

create index audit_subject on audit (subject, id);
-- What belongs to a partner says so where it is first written down.
create index audit_partner on audit ((after ->> 'partner_id')) where after ->> 'partner_id' is not null;
