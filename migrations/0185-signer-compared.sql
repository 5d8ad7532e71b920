-- When a worker last compared the whole journal of the signer with the books, or first tried to (src/exchange/reconciliation/signed-unknown.ts).
set local lock_timeout = '5s';

create table signer_compared (
  is_only boolean primary key default true check (is_only),
  at timestamptz not null
);
