-- Returns the active connections of a business, by the carriers' names: of all its carriers, or of some, also if these
-- have none. All are without those in test mode if one with a gateway is live, so that a comparison buys no test label for a
-- real parcel.
-- $1 business uuid, $2 carriers uuid[] (empty: all)
-- -> carrier uuid, name text, connector text or null, api_url text or null, account_number text or null,
-- sealed_key text or null (in hex), test_mode boolean or null, service_codes jsonb or null,
-- label_format text or null, is_failing boolean, checked_at timestamptz or null
select k.guid as carrier, k.name, g.connector, g.api_url, g.account_number, encode(g.sealed_api_key, 'hex') as sealed_key,
       g.test_mode, g.service_codes, g.label_format, coalesce(g.connection_status = 'failing', false) as is_failing,
       g.checked_at
from carriers k
left join carrier_configurations g on g.business_id = $1::uuid and g.carrier_id = k.guid and g.is_active
where k.business_id in ($1::uuid, catalogue_business()) and k.deleted_at is null
  and case when cardinality($2::uuid[]) > 0 then k.guid = any ($2::uuid[])
           else g.carrier_id is not null
             and (not g.test_mode
                  or not exists (select from carrier_configurations o
                                 where o.business_id = $1::uuid and o.is_active and o.connector <> 'manual'
                                   and not o.test_mode)) end
order by k.name, k.guid
