-- What a payout is worth decides whether it needs approvals. What says so is stamped by the service, with a key that the database does
-- not have: the books of the markets, and quotes. `carried_over`: from before; only the owner of the tables can write it.
set local lock_timeout = '5s';

alter table market_books add column stamp bytea;
delete from market_books;
alter table quotes add column stamp bytea, add column carried_over boolean not null default true;
alter table quotes alter column carried_over set default false;

-- What became of a prepared payment stays, whatever the service's role asks for: it would be submitted once more, or its payout would
-- get another one. The owner, who can drop triggers, is not asked.
create function written_stays() returns trigger language plpgsql as $$
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
    return new;
  end if;
  raise exception 'What was written down here stays so (%).', tg_table_name using errcode = 'check_violation';
end $$;

create trigger plan_stays before update on plans for each row
  when (old.state in ('done', 'never') and new.state <> old.state or new.state = 'planned' and old.state <> 'planned')
  execute function written_stays();
create trigger payout_keeps_its_plan before update on payouts for each row
  when (old.plan_id is not null
    and (new.plan_id is distinct from old.plan_id or new.state in ('waiting', 'reserved', 'cancelled')))
  execute function written_stays();
-- Whose terms an order is on decides about its limit.
create trigger transaction_keeps_its_partner before update on transactions for each row
  when (new.partner_id <> old.partner_id) execute function written_stays();
