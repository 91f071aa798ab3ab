-- The number of successive changes by workflows that led to the value of a timer's field, so that workflows with timers cannot
-- change a record in a circle without end.
alter table timers add column depth smallint not null default 0;
