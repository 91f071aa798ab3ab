-- Returns what usually comes to a business besides its own changes: orders of stores and scans of carriers, with the usual
-- number for the hour that began 24 hours before this one and those since. A source that is switched off is left out.
-- $1 business uuid
-- -> kind text, guid uuid, name text or null, expected_from bigint or null, expected_to bigint or null,
-- silent_since timestamptz or null
select f.kind, f.source_id as guid, coalesce(store_name(i), k.name) as name, f.expected_from, f.expected_to, f.silent_since
from source_watches f
left join integrations i on f.kind = 'import' and i.business_id = f.business_id and i.guid = f.source_id
left join lateral (select c.name from carriers c
                   where f.kind = 'scans' and c.business_id in (f.business_id, catalogue_business()) and c.guid = f.source_id
                     and c.deleted_at is null limit 1) k on true
left join carrier_configurations s on f.kind = 'scans' and s.business_id = f.business_id and s.carrier_id = f.source_id
where f.business_id = $1::uuid
  and case f.kind when 'import' then i.status = 'active' and i.removed_at is null and i.auto_import
      else s.is_active is not false and (k.name is not null or f.source_id = '00000000-0000-0000-0000-000000000000') end
order by f.kind, name, f.source_id limit 1000
