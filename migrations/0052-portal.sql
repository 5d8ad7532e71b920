-- The portal: people of a partner, and the browsers in which they are signed in.
set local lock_timeout = '5s';

-- Somebody who was invited has no password yet; `invitation` is the hash of the token in the link.
create table portal_users (
  id bigint primary key,
  partner_id bigint not null references partners,
  email text not null unique,
  name text not null default '',
  role text not null check (role in ('member', 'admin')),
  password_hash text,
  invitation text unique,
  invited_at timestamptz,
  created_at timestamptz not null,
  disabled_at timestamptz
);
create index portal_users_of on portal_users (partner_id);

-- `hash` is of the cookie. Times are real.
create table portal_sessions (
  id bigint primary key,
  hash text not null unique,
  user_id bigint not null references portal_users,
  network text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  ended_at timestamptz
);
create index portal_sessions_of on portal_sessions (user_id) where ended_at is null;
