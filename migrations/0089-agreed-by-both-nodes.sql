-- What a release before has called agreed or left waiting on one node's word, or in spite of an operator, is put right.
set local lock_timeout = '5s';

-- Nothing that is not final was agreed on: 0085 began 200 blocks below the tip, whatever waited below.
update evm_chains as chain set agreed_block = least(agreed_block, (
  select min(block) - 1 from evm_arrivals as arrival where arrival.network = chain.network and arrival.state = 'seen'));

-- What was submitted while it was ended is ended.
update bitcoin_payments as payment set state = 'never'
where state = 'waiting' and exists (
  select 1 from chain_ended as ended where ended.network = payment.network and ended.plan_key = payment.plan_key);
update xrpl_payments as payment set state = 'never', recipient = null, tag = null
where state = 'waiting' and exists (
  select 1 from chain_ended as ended where ended.network = payment.network and ended.plan_key = payment.plan_key);

do $$ begin
  assert not exists (
    select 1 from evm_chains as chain join evm_arrivals as arrival on arrival.network = chain.network
    where arrival.state = 'seen' and chain.agreed_block >= arrival.block), 'A transfer that waits counts as agreed on.';
  assert not exists (select 1 from evm_chains where next_block is not null and agreed_block is null),
    'A chain is followed, and nothing says how far its nodes agree.';
end $$;
