-- A payment that is in no file yet ends without one: two operators end what its payee holds. It then stays ended: no file takes it.
set local lock_timeout = '5s';

alter table iso20022_payments
  drop constraint iso20022_payments_check,
  add constraint iso20022_payments_check check (
    (state = 'queued') = (batch_id is null) or state = 'rejected' and batch_id is null) not valid;
alter table iso20022_payments validate constraint iso20022_payments_check;

create trigger iso20022_payment_ended_stays before update on iso20022_payments for each row
  when (old.state = 'rejected' and old.batch_id is null and (new.state <> 'rejected' or new.batch_id is not null))
  execute function signed_stays();
