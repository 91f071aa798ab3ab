-- The options of the running processes, so that `waybill doctor` finds processes that differ in them
-- (docs/decisions/0033).

-- The values of the options that must be the same in all processes, by name; empty for a process of an earlier version.
alter table processes add column settings jsonb not null default '{}';
