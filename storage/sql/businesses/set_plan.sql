update businesses
   set plan = $2::text, updated_at = now()
 where name = $1::text
