-- Deletes addresses of mails older than the retention from the default partition. Returns the number of deleted rows.
-- $1 retention_days int, $2 limit bigint
-- -> expired bigint
with old as materialized (
  select m.ctid as place
  from only mail_addresses_other m
  where m.at < ((now() at time zone 'UTC')::date - $1::integer)::timestamp at time zone 'UTC'
  limit $2::bigint
), gone as (
  delete from only mail_addresses_other m using old where m.ctid = old.place returning 1
)
select count(*) as expired from gone
