-- Deletes the noted addresses of mails that are those of a person, at most a limit. Returns how many were deleted.
-- $1 business uuid, $2 addresses uuid[] (their hashes), $3 limit bigint
-- -> addresses bigint
with found as materialized (
  select address, run, step, at from mail_addresses where business_id = $1::uuid and address = any ($2::uuid[]) limit $3::bigint
), gone as (
  delete from mail_addresses m using found f
  where m.business_id = $1::uuid and m.address = f.address and m.run = f.run and m.step = f.step and m.at = f.at
  returning 1
)
select count(*) as addresses from gone
