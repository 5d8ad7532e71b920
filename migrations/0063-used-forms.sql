-- Forms of the console and of the portal are used once each.
set local lock_timeout = '5s';

-- A form that was used, in the block of what it did. `hash` is of the form's own token and of the session that it was shown to. `outcome`
-- is encrypted: what the page answered, for a second use of the same form; null while the first one is being answered.
create table used_forms (
  id bigint generated always as identity primary key,
  hash text not null unique,
  used_at timestamptz not null,
  outcome bytea
);
create index used_forms_used_at on used_forms (used_at);
