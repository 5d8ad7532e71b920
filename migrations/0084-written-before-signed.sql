-- A transfer of Bitcoin's family is written down before its signature is asked for (src/rails/bitcoin/sending): an attempt without an
-- id is what the signer is asked to sign. After a crash it is asked for the same again, and gives the same bytes.
set local lock_timeout = '5s';

alter table bitcoin_attempts alter column txid drop not null;
alter table bitcoin_attempts add constraint bitcoin_attempts_signed_check check (txid is not null or (raw is null and block is null));
create unique index bitcoin_attempts_unsigned on bitcoin_attempts (send_id) where txid is null;
