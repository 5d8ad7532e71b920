-- Lists of transactions: each way of asking for a page has an index that ends in the order of creation.
set local lock_timeout = '5s';

-- By creation alone. Retail lists do not show B2B and the other way round, however many there are of the other.
create index transactions_by_creation on transactions (partner_id, kind, created_at, id);
drop index transactions_of_partner;

create index transactions_by_status on transactions (partner_id, kind, status, created_at, id);

create index transactions_by_link on transactions (partner_id, kind, external_partner_link_id, created_at, id)
  where external_partner_link_id is not null;

create index transactions_by_change on transactions (partner_id, kind, updated_at);
