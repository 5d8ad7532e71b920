-- What keeps a halt that operators end. A seal is the hash of a key that follows from the master key, which is not in the database: the
-- service writes the key down where it has checked the signatures of those who resume, and with an open seal its role deletes no halt.
-- Seals are added by each halt and by each renewal, so that a halt that was there before is kept by the newer one's as well.
set local lock_timeout = '5s';

create table halt_seals (
  nonce uuid primary key,
  scope text not null check (scope in ('all', 'payouts', 'rail', 'asset', 'restored')),
  name text not null,
  seal bytea not null,
  key bytea,
  check (key is null or sha256(key) = seal)
);
create index halt_seals_open on halt_seals (scope, name) where key is null;

create or replace function halt_stays() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
    return old;
  end if;
  if exists (select from public.halt_seals where scope = old.scope and name = old.name and key is null)
    or (old.scope = 'restored' or old.scope in ('all', 'payouts', 'rail', 'asset') and old.halted_by <> 'system')
    and (case old.scope when 'restored' then 1 else 2 end) > (
      select count(distinct approver) from public.approvals
      where kind = 'resume' and subject = old.scope || ':' || old.name and at >= old.since) then
    raise exception 'A halt stays so until two operators resume it.' using errcode = 'check_violation';
  end if;
  return old;
end $$;
drop trigger halt_stays on halts;
create trigger halt_stays before delete on halts for each row execute function halt_stays();
