-- What was signed stays signed, and what was sent is not sent once more, whatever the service's role asks for: a payout that had its
-- approvals would leave a second time.
set local lock_timeout = '5s';

create function signed_stays() returns trigger language plpgsql as $$
begin
  raise exception 'What was signed or sent stays so (%).', tg_table_name using errcode = 'check_violation';
end $$;

create trigger bitcoin_attempt_stays before delete on bitcoin_attempts for each row
  when (old.txid is not null) execute function signed_stays();
create trigger bitcoin_attempt_keeps before update on bitcoin_attempts for each row
  when (old.txid is not null and (new.txid is distinct from old.txid or new.send_id <> old.send_id)) execute function signed_stays();
create trigger xrpl_attempt_stays before delete on xrpl_attempts for each row
  when (old.hash is not null) execute function signed_stays();
create trigger xrpl_attempt_keeps before update on xrpl_attempts for each row
  when (old.hash is not null and (new.hash is distinct from old.hash or new.payment_id <> old.payment_id)) execute function signed_stays();
create trigger evm_candidate_stays before delete on evm_candidates for each row
  when (old.hash is not null) execute function signed_stays();
create trigger evm_candidate_keeps before update on evm_candidates for each row
  when (old.hash is not null and (new.hash is distinct from old.hash or new.send_id <> old.send_id)) execute function signed_stays();
create trigger evm_send_remains before delete on evm_sends for each row
  when (old.body is null) execute function signed_stays();

-- A payment waits again only where nothing was signed for it.
create function signed_payment_stays() returns trigger language plpgsql as $$
declare
  is_signed boolean;
begin
  if tg_table_name = 'bitcoin_payments' then
    is_signed := exists (select from bitcoin_attempts where send_id = old.send_id and txid is not null);
  else
    is_signed := exists (select from xrpl_attempts where payment_id = old.id and hash is not null);
  end if;
  if is_signed then
    raise exception 'What was signed or sent stays so (%).', tg_table_name using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger bitcoin_payment_waits before update on bitcoin_payments for each row
  when (new.send_id is distinct from old.send_id or new.state = 'waiting' and old.state <> 'waiting')
  execute function signed_payment_stays();
create trigger xrpl_payment_waits before update on xrpl_payments for each row
  when (new.sequence is distinct from old.sequence or new.state = 'waiting' and old.state <> 'waiting')
  execute function signed_payment_stays();
create trigger bitcoin_payment_ends before update on bitcoin_payments for each row
  when (old.state in ('done', 'never') and new.state <> old.state) execute function signed_stays();
create trigger xrpl_payment_ends before update on xrpl_payments for each row
  when (old.state in ('done', 'never') and new.state <> old.state) execute function signed_stays();

create trigger iso20022_payment_leaves_once before update on iso20022_payments for each row
  when (old.batch_id is not null and (new.batch_id is distinct from old.batch_id or new.state = 'queued'))
  execute function signed_stays();
create trigger iso20022_batch_leaves_once before update on iso20022_batches for each row
  when (old.sent_at is not null and new.sent_at is distinct from old.sent_at
    or old.staged_as is not null and new.staged_as is distinct from old.staged_as) execute function signed_stays();
