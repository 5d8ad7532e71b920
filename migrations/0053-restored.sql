set local lock_timeout = '5s';

-- How a database knows that it was restored: the exchange that it belongs to, the server that it was last opened on, and until when
-- (business time) operators have looked at what left without its knowledge.
alter table service_state
  add column exchange_id uuid,
  add column system_identifier text,
  add column opened_at timestamptz;

-- `restored`: the database went back in time, and no money, e-mail or webhook leaves until operators open it.
alter table halts drop constraint halts_scope_check;
alter table halts add constraint halts_scope_check
  check (scope in ('all', 'payouts', 'rail', 'asset', 'crediting', 'restored'));
alter table halts drop constraint halts_check;
alter table halts add constraint halts_check check ((name = '') = (scope in ('all', 'payouts', 'restored')));
