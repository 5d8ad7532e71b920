-- Whether a page of a statement is its last one: before it has come, the statement says nothing of what it lacks.
set local lock_timeout = '5s';

alter table iso20022_statements add column is_last boolean not null default true;
