-- A schedule counts the successive ticks whose query took too long, across workers. Workers of earlier releases leave the
-- number as it is.
alter table schedules add column timeouts integer not null default 0;
