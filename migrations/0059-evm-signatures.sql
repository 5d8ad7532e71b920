-- Transfers of the EVM's hot wallets are written down before they are signed (src/rails/evm/sending).
set local lock_timeout = '5s';

-- What a send asks of the chain, until it is signed, and since when a process asks for its signature: nobody else asks meanwhile, so
-- that a refusal means that there is no signature, and the nonce can be given to another send.
alter table evm_sends add column body jsonb, add column asked_at timestamptz;
alter table evm_sends add constraint evm_sends_asked_check check (asked_at is null or body is not null);

-- A wallet has one such send at most: it has the last nonce, so that no gap remains where it is given up.
create unique index evm_sends_unsigned on evm_sends (network, sender) where body is not null;

-- The first candidate of a send has a hash once it is signed.
alter table evm_candidates alter column hash drop not null;
