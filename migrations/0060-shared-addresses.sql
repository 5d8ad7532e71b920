-- Addresses that coins were to be paid to: several customers may use one, and that is a fact about each of them.
set local lock_timeout = '5s';

alter table customer_traits drop constraint customer_traits_kind_check;
alter table customer_traits
  add constraint customer_traits_kind_check check (kind in ('email', 'card', 'account', 'document', 'address')) not valid;
alter table customer_traits validate constraint customer_traits_kind_check;
comment on table customer_traits is
  'Keyed hashes. Customers who share one are the same person to limits; an address (of coins) joins nobody.';

-- Every customer who is the same person as this one, by whatever they share, directly or through others.
create or replace function same_person(customer bigint) returns setof bigint language sql stable as $$
  with recursive person (id) as (
    select customer
    union
    select other.customer_id from person
      join customer_traits as own on own.customer_id = person.id and own.kind <> 'address'
      join customer_traits as other on other.kind = own.kind and other.hash = own.hash
  )
  select id from person
$$;
