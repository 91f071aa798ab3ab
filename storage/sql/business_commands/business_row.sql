-- Returns a business as a JSON object.
-- $1 business uuid
-- -> data text
select to_jsonb(b)::text as data from businesses b where b.guid = $1::uuid
