-- Returns a business's vehicles, by name. The tracker is the device seen last.
-- $1 business uuid
select
\ir answer.inc
where v.business_id = $1 and v.deleted_at is null
order by v.name, v.guid limit 1000
