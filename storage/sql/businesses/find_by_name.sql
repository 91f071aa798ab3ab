select guid, plan
  from businesses
 where name = $1::text
 order by created_at, guid
 limit 1
