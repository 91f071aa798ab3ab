-- Returns the business with a guid, otherwise the businesses with a name, oldest first, at most 20. A name is the operator's
-- if the operator made the business and it has not renamed itself.
-- $1 name_or_guid text
-- -> guid uuid, plan text, made text, is_operators_name boolean
select guid, plan, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') as made,
       registered_by_itself is not true and renamed_itself is not true as is_operators_name
from businesses
where guid::text = lower($1::text)
   or name = $1::text and not exists (select from businesses b where b.guid::text = lower($1::text))
order by created_at, guid
limit 20
