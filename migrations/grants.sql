-- What the service's own login role may do. Run after every migration, as the owner; "service" stands for the role.
revoke all on all tables in schema public, sandbox from "service";
grant usage on schema public, sandbox to "service";
grant usage on all sequences in schema public, sandbox to "service";
grant select, insert, update, delete on all tables in schema public, sandbox to "service";

-- The books, and whatever else is a record of what happened, can only grow.
revoke update, delete, truncate on entries, postings, status_history, quotes, rail_events, identity_facts, customer_blocks, audit,
  assets, identity_checks, accepted_terms, deposit_reversals, deposit_reinstatements, valuations, marks,
  processor_movements, decision_policies, entry_digests from "service";
revoke update, delete, truncate on hedge_fills, deposit_rests from "service";
revoke update, delete, truncate on rebalances from "service";
grant update (state, outcome, sent_proof, fee_asset, fee, arrived_proof, ended_at) on rebalances to "service";
-- A quote is never as from before there were stamps.
revoke insert on quotes from "service";
grant insert (transaction_id, number, valid_until, quote, stamp) on quotes to "service";
-- What is owed and what was paid changes its state, and never goes. What was told to pay, what came, how much goes where and how
-- it is signed never change.
revoke delete, truncate on hedges, transactions, deposit_instructions, deposits, refunds, payouts, plans, disputes, reserves from "service";
revoke update on deposit_instructions, deposits, refunds, payouts, plans, disputes from "service";
grant update (state, ended_at, round, respond_by, marks_customer) on disputes to "service";
grant update (state, transaction_id, matched_at, exchanged, refunded, taken_back, ended_before) on deposits to "service";
revoke update, delete, truncate on own_money, own_money_rules, own_money_reversals from "service";
grant update (ended_at) on own_money_rules to "service";
revoke update, delete, truncate on payer_checks from "service";
grant update (accepted_at) on payer_checks to "service";
grant update (state, held_at) on refunds to "service";
grant update (state, plan_id, reason, approval_asked_at, payee_accepted_at) on payouts to "service";
grant update (state, evidence, ended_at, unknown_since) on plans to "service";
-- Who approved what can only be added, and never as carried over from before.
revoke insert, update, delete, truncate on approvals from "service";
grant insert (kind, subject, hash, approver, key_id, signature, at, stamp) on approvals to "service";
revoke update, delete, truncate on operator_keys from "service";
-- What lets an operator in is stamped, ends, and never goes.
revoke update, delete, truncate on operator_sessions, operator_tokens, operator_invitations from "service";
grant update (last_used_at, ended_at) on operator_sessions to "service";
grant update (last_used_at, revoked_at) on operator_tokens to "service";
grant update (used_at) on operator_invitations to "service";
revoke insert on operator_tokens from "service";
grant insert (id, operator_id, hash, hint, created_at, stamp) on operator_tokens to "service";
-- A policy is approved or rejected; what it says never changes.
revoke update, delete, truncate on policies from "service";
grant update (approved_by, approved_at, rejected_by, rejected_at) on policies to "service";
revoke delete, truncate on breaks from "service";
revoke update on breaks from "service";
grant update (cause, confirmed_at, state, ended_at, resolved_by, reason) on breaks to "service";
revoke update, delete, truncate on closed_days, closed_balances from "service";
revoke update on hedges from "service";
grant update (state, sent_at, ended_at, outcome, venue_order_id, filled) on hedges to "service";
revoke delete, truncate on signer_seen, signer_compared, chain_ended, bitcoin_payments, xrpl_payments from "service";
revoke update on chain_ended from "service";
-- What an operator has halted is not made a smaller halt.
revoke update, truncate on halts from "service";
grant update (round, resume_by, resume_at) on halts to "service";
-- What keeps a halt can only be opened, with its key.
revoke update, delete, truncate on halt_seals from "service";
grant update (key) on halt_seals to "service";
revoke insert, update, delete, truncate on schema_migrations from "service";
revoke update, delete, truncate on opened_bank_accounts from "service";
-- What a bank has sent, and what it was asked to pay.
revoke update, delete, truncate on iso20022_skips, iso20022_ignored_accounts from "service";
grant update (reason, actor, at, ended_at) on iso20022_ignored_accounts to "service";
revoke delete, truncate on iso20022_files, iso20022_statements, iso20022_bookings, iso20022_batches, iso20022_payments from "service";

-- A session looks in its own temporary tables first, unless it says where to look: what a function keeps, it reads nowhere else. The
-- service needs no temporary tables.
do $$
declare
  one regprocedure;
begin
  for one in
    select oid from pg_proc
    where pronamespace in ('public'::regnamespace, 'sandbox'::regnamespace) and prokind = 'f' and pg_has_role(proowner, 'usage')
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
      -- A path of public alone is ours, of before; another one is of who has made the function.
      and (proconfig is null or not exists (select from unnest(proconfig) as setting where setting like 'search\_path=%')
        or proconfig @> array['search_path=public'])
  loop
    execute format('alter function %s set search_path = pg_catalog, public, pg_temp', one);
  end loop;
  execute format('revoke temporary on database %I from public, "service"', current_database());
end $$;
