-- Whether money was seen for an instruction is asked before anything expires: by the reference that the rail repeats.
set local lock_timeout = '5s';
create index facts_reference on facts (reference);
