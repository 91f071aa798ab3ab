-- Returns whether a business can use a carrier, and whether a service level is a standard one or belongs to a
-- carrier that the business can use (true for null).
-- $1 business uuid, $2 carrier uuid or null, $3 service_level text or null
-- -> is_carrier boolean, is_level boolean
select $2::uuid is null or exists (
         select from carriers c
         where c.business_id in ($1::uuid, catalogue_business()) and c.guid = $2::uuid and c.deleted_at is null) as is_carrier,
       $3::text is null or $3::text in ('standard', 'express', 'sameday') or exists (
         select from carriers c, jsonb_array_elements(c.service_levels) l
         where c.business_id in ($1::uuid, catalogue_business()) and c.deleted_at is null
           and l ->> 'code' = $3::text) as is_level
