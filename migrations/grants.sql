-- What the service's own login role may do. Run after every migration, as the owner; "service" stands for the role.
revoke all on all tables in schema public, sandbox from "service";
grant usage on schema public, sandbox to "service";
grant usage on all sequences in schema public, sandbox to "service";
grant select, insert, update, delete on all tables in schema public, sandbox to "service";

-- The books, and whatever else is a record of what happened, can only grow.
revoke update, delete, truncate on entries, postings, status_history, quotes, rail_events, identity_facts, customer_blocks, audit,
  assets, payout_approvals, identity_checks, accepted_terms, deposit_reversals, deposit_reinstatements, valuations, marks,
  processor_movements, decision_policies, entry_digests from "service";
revoke update, delete, truncate on hedge_approvals, hedge_fills, rebalance_approvals from "service";
revoke update, delete, truncate on rebalances from "service";
grant update (state, outcome, sent_proof, fee_asset, fee, arrived_proof, ended_at) on rebalances to "service";
-- What is owed and what was paid changes its state, and never goes. What was told to pay, what came, how much goes where and how
-- it is signed never change.
revoke delete, truncate on hedges, transactions, deposit_instructions, deposits, refunds, payouts, plans, disputes, reserves from "service";
revoke update on deposit_instructions, deposits, refunds, payouts, plans, disputes from "service";
grant update (state, ended_at) on disputes to "service";
grant update (state, transaction_id, matched_at, exchanged, refunded, taken_back) on deposits to "service";
grant update (state, held_at) on refunds to "service";
grant update (state, plan_id, reason, approval_asked_at) on payouts to "service";
grant update (state, evidence, ended_at, unknown_since) on plans to "service";
-- A policy is approved or rejected; what it says never changes.
revoke update, delete, truncate on policies from "service";
grant update (effective_at, approved_by, approved_at, rejected_by, rejected_at) on policies to "service";
revoke delete, truncate on breaks from "service";
revoke update on breaks from "service";
grant update (cause, confirmed_at, state, ended_at, resolved_by, reason) on breaks to "service";
revoke update, delete, truncate on closed_days, closed_balances from "service";
revoke update on hedges from "service";
grant update (state, sent_at, ended_at, outcome, venue_order_id, filled) on hedges to "service";
revoke insert, update, delete, truncate on schema_migrations from "service";
-- What a bank has sent, and what it was asked to pay.
revoke delete, truncate on iso20022_files, iso20022_statements, iso20022_bookings, iso20022_batches, iso20022_payments from "service";
