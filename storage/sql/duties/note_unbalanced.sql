-- Notes that a check of the ledger has found a business, for the page for operators, and forgets what is older than 7 days.
-- A business that has been deleted is left out.
-- $1 business uuid, $2 first_time timestamptz, $3 end_time timestamptz
with forgotten as (
  delete from ledger_findings where business_id = $1::uuid and found_at < now() - interval '7 days'
)
insert into ledger_findings (business_id, first_time, end_time)
select guid, $2::timestamptz, $3::timestamptz from businesses where guid = $1::uuid for key share
on conflict do nothing
