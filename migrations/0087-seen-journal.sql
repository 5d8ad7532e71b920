-- The last line of the signer's journal that the service has seen (src/app/signer.ts): an older copy of the journal does not know what
-- was signed since, and would sign a second payment. And a payment on a chain never changes what it pays, or to whom.
set local lock_timeout = '5s';

create table signer_seen (
  is_only boolean primary key default true check (is_only),
  lines bigint not null check (lines > 0),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  at timestamptz not null
);

-- Recipients are forgotten once a payment is over, and never changed.
create function chain_payment_stays() returns trigger language plpgsql as $$
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
  return new;
end $$;
create trigger bitcoin_payment_stays before update on bitcoin_payments for each row
  execute function chain_payment_stays('network', 'plan_key', 'script', 'amount');
create trigger xrpl_payment_stays before update on xrpl_payments for each row
  execute function chain_payment_stays('network', 'plan_key', 'recipient', 'tag', 'amount');
create trigger evm_send_stays before update on evm_sends for each row
  execute function chain_payment_stays('network', 'plan_key', 'sender', 'nonce', 'body', 'asset', 'amount');
