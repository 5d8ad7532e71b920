-- What an operator has halted ends only where two have asked to resume it, whatever the service's role asks for. The service checks
-- their signatures before; here is only that they are written down.
set local lock_timeout = '5s';

create function halt_stays() returns trigger language plpgsql as $$
begin
  if current_user <> (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) and 2 > (
    select count(distinct approver) from approvals
    where kind = 'resume' and subject = old.scope || ':' || old.name and at >= old.since) then
    raise exception 'A halt stays so until two operators resume it.' using errcode = 'check_violation';
  end if;
  return old;
end $$;
create trigger halt_stays before delete on halts for each row
  when (old.scope in ('all', 'payouts', 'rail', 'asset') and old.halted_by <> 'system') execute function halt_stays();
