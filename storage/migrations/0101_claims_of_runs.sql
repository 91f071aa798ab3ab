-- The number of times that workers have claimed a run. It tells the claims of one worker apart: an outcome counts only for the
-- claim under which the attempt was made. Earlier binaries do not count theirs, and need not: they are other workers.
alter table run_queue add column claims integer not null default 0;
