-- Transfers from addresses of transactions, and dearer ones, are written down before they are signed, as payouts are. `asked_fee`: the
-- price of gas of which a signature is asked for and is not kept yet.
set local lock_timeout = '5s';

alter table evm_moves add column asked_fee numeric(38, 0) check (asked_fee > 0);
