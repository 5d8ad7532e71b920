-- What is known to belong to one person, so that limits hold for the person and not for each e-mail address.
set local lock_timeout = '5s';

-- A keyed hash of something that belongs to a customer: the e-mail address without tags, a card, a bank account, a document.
create table customer_traits (
  customer_id bigint not null references customers,
  kind text not null check (kind in ('email', 'card', 'account', 'document')),
  hash bytea not null,
  first_seen_at timestamptz not null,
  primary key (kind, hash, customer_id)
);
comment on table customer_traits is 'Keyed hashes. Customers who share one are the same person to limits.';
create index customer_traits_of_customer on customer_traits (customer_id);

-- The card of a payment, as a keyed hash of what its processor calls it; null where it does not say.
alter table rail_events add column card_hash bytea;

-- What the sandbox's processor calls the card that paid; null where nobody gave a name.
alter table sandbox.card_payments add column fingerprint text;

-- Every customer who is the same person as this one, by whatever they share, directly or through others.
create function same_person(customer bigint) returns setof bigint language sql stable as $$
  with recursive person (id) as (
    select customer
    union
    select other.customer_id from person
      join customer_traits as own on own.customer_id = person.id
      join customer_traits as other on other.kind = own.kind and other.hash = own.hash
  )
  select id from person
$$;
