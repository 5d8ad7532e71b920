-- Each look compares the arrivals of some blocks with what both nodes report, and each step of a sweep asks for an address's last move.
set local lock_timeout = '5s';

create index evm_arrivals_by_block on evm_arrivals (network, block) where state in ('seen', 'final');
create index evm_moves_by_address on evm_moves (network, address, made_at);
