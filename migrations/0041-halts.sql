set local lock_timeout = '5s';

-- What is halted, by an operator or by the exchange itself. `all`: no orders are taken and nothing leaves; `payouts`: nothing
-- leaves; `rail`: nothing is credited or paid on the rail `name`; `asset`: the asset `name` is not exchanged or paid out;
-- `crediting`: nothing is credited on the rail `name`, which reversed what was final. Money that arrives is always recorded.
-- `resume_by` is the first of the two operators that it takes to end a halt of an operator.
create table halts (
  scope text not null default 'crediting' check (scope in ('all', 'payouts', 'rail', 'asset', 'crediting')),
  name text not null default '',
  since timestamptz not null,
  reason text not null,
  halted_by text not null default 'system',
  resume_by text,
  resume_at timestamptz,
  primary key (scope, name),
  check ((name = '') = (scope in ('all', 'payouts'))),
  check ((resume_by is null) = (resume_at is null))
);

insert into halts (scope, name, since, reason) select 'crediting', rail, since, reason from halted_rails;

do $$
begin
  if (select count(*) from halts) <> (select count(*) from halted_rails) then
    raise exception 'a halted rail was lost';
  end if;
end
$$;

-- Processes of the version before read this until they are replaced.
drop table halted_rails;
create view halted_rails as select name as rail, since, reason from halts where scope = 'crediting';
