-- The timelines of the write-ahead log on which this database has taken writes. A standby that has the row of a timeline
-- has followed the primary onto it; a server that stayed behind at a fail-over does not have the row. `cluster` is the
-- system identifier, because a dump that is restored elsewhere brings the rows of another cluster with it.
create table timelines (
  cluster bigint not null,
  timeline bigint not null check (timeline > 0),
  noted_at timestamptz not null default now(),
  primary key (cluster, timeline)
);
