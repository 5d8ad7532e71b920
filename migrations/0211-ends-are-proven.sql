-- A payment that was signed ends only by a block that was read: else a false end, after which it could be ordered again, would be one
-- statement of the service's role. What a block took is written down while that block is read, and stays for as long as the block does.
set local lock_timeout = '5s';

create function end_is_proven() returns trigger language plpgsql as $$
declare
  is_proven boolean;
begin
  if tg_table_name = 'evm_sends' then
    is_proven := old.state = 'open' and (new.state <> 'never' or exists (
      select from evm_outgoing where network = old.network and sender = old.sender and nonce = old.nonce));
  elsif tg_table_name = 'bitcoin_sends' then
    is_proven := old.state = 'open' and (new.state <> 'never' or exists (
      select from bitcoin_inputs as input
      join bitcoin_coins as coin on coin.network = old.network and coin.txid = input.txid and coin.vout = input.vout
      where send_id = old.id and since = 1 and not is_dropped and spent_block is not null
        and not exists (select from bitcoin_attempts where send_id = old.id and txid = spent_by)));
  else
    is_proven := exists (select from bitcoin_sends where id = new.send_id and state = new.state);
  end if;
  if not is_proven then
    raise exception 'No block that was read ends this (%).', tg_table_name using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger evm_send_ends before update on evm_sends for each row
  when (new.state <> old.state) execute function end_is_proven();
create trigger bitcoin_send_ends before update on bitcoin_sends for each row
  when (new.state <> old.state) execute function end_is_proven();
create trigger bitcoin_payment_is_over before update on bitcoin_payments for each row
  when (old.state = 'sending' and new.state in ('done', 'never')) execute function end_is_proven();

create function taken_by_a_block() returns trigger language plpgsql as $$
declare
  is_read boolean := false;
  was_undone boolean := true;
begin
  if tg_table_name = 'evm_outgoing' then
    if tg_op <> 'DELETE' then
      is_read := exists (select from evm_blocks join evm_chains using (network)
        where network = new.network and number = new.block and number >= next_block);
    end if;
    if tg_op <> 'INSERT' then
      was_undone := not exists (select from evm_blocks where network = old.network and number = old.block);
    end if;
  else
    is_read := new.spent_block is null or exists (select from bitcoin_blocks join bitcoin_chains using (network)
      where network = new.network and number = new.spent_block and number >= next_block);
    was_undone := old.spent_block is null or not exists (
      select from bitcoin_blocks where network = old.network and number = old.spent_block);
    if not exists (select from bitcoin_inputs where txid = old.txid and vout = old.vout) then
      return new;
    end if;
  end if;
  if not was_undone or tg_op <> 'DELETE' and not is_read then
    raise exception 'What a block took changes with its block alone (%).', tg_table_name using errcode = 'check_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger evm_outgoing_is_read before insert or delete on evm_outgoing for each row execute function taken_by_a_block();
create trigger evm_outgoing_stays before update on evm_outgoing for each row
  when (new is distinct from old) execute function taken_by_a_block();
create trigger bitcoin_coin_is_spent before update on bitcoin_coins for each row
  when (new.spent_block is distinct from old.spent_block or new.spent_by is distinct from old.spent_by)
  execute function taken_by_a_block();
