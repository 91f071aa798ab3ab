-- Whether what a dispatch names exists: $1 business, $2 driver, $3 vehicle. Null where nothing is asked.
select $2::uuid is null or exists (select from drivers d where d.business_id = $1 and d.guid = $2 and d.deleted_at is null),
       $3::uuid is null or exists (select from vehicles v where v.business_id = $1 and v.guid = $3 and v.deleted_at is null)
