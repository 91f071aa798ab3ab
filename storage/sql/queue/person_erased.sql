-- Returns whether a customer was erased after a time.
-- $1 business uuid, $2 customer uuid, $3 since timestamptz
-- -> is_erased boolean
select exists (select from events e
               where e.business_id = $1::uuid and e.entity_id = $2::uuid and e.at > $3::timestamptz and e.entity_type = 2
                 and e.detail ? 'erased') as is_erased
