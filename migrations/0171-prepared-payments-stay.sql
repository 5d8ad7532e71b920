-- What a payout pays on a chain, and to whom, stays as it was written down (0087), and so does its stamp: once given it is the only
-- proof of a destination that was forgotten.
set local lock_timeout = '5s';

create or replace function chain_payment_stays() returns trigger language plpgsql as $$
declare
  before jsonb := to_jsonb(old);
  now jsonb := to_jsonb(new);
  name text;
begin
  foreach name in array tg_argv loop
    if now -> name is distinct from before -> name and now ->> name is not null then
      raise exception 'A payment on a chain never changes its %.', name using errcode = 'check_violation';
    end if;
  end loop;
  if new.stamp is distinct from old.stamp and old.stamp is not null then
    raise exception 'A payment on a chain never changes its stamp.' using errcode = 'check_violation';
  end if;
  if tg_table_name = 'xrpl_payments' and now ->> 'tag' is null and before ->> 'tag' is not null and now ->> 'recipient' is not null then
    raise exception 'A payment on a chain never changes its tag.' using errcode = 'check_violation';
  end if;
  return new;
end $$;
