-- What the service's own login role may do. Run after every migration, as the owner; "service" stands for the role.
revoke all on all tables in schema public, sandbox from "service";
grant usage on schema public, sandbox to "service";
grant usage on all sequences in schema public, sandbox to "service";
grant select, insert, update, delete on all tables in schema public, sandbox to "service";

-- The books, and whatever else is a record of what happened, can only grow.
revoke update, delete, truncate on entries, postings, moves, quotes, facts, audit, assets from "service";
-- What is owed and what was paid changes its state, and never goes.
revoke delete, truncate on transactions, deposit_instructions, deposits, payouts, plans, reserves from "service";
revoke insert, update, delete, truncate on schema_migrations from "service";
