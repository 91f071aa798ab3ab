-- A business's vehicles: $1 business. The tracker is the device that was heard last.
select
\ir answer.inc
where v.business_id = $1 and v.deleted_at is null
order by v.name, v.guid limit 1000
