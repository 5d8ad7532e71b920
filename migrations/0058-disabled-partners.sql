-- A partner account that is disabled: its keys are valid nowhere, and its people cannot sign in. What its customers began goes on.
set local lock_timeout = '5s';

alter table partners add column disabled_at timestamptz;
