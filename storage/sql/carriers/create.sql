-- Adds a carrier of a business and returns it. No row if a built-in carrier has the code or there are 1000
-- carriers, including the built-in ones.
-- $1 business uuid, $2 name text, $3 code text, $4 type text, $5 service_levels jsonb,
-- $6 tracking_url_pattern text or null
-- -> guid uuid, ...
insert into carriers (business_id, name, code, type, service_levels, tracking_url_pattern)
select $1, $2, $3, $4, $5, $6
where not exists (select from carriers k
                  where k.business_id = catalogue_business() and k.code = lower($3))
  and (select count(*) from carriers k where k.business_id in ($1, catalogue_business())
       and k.deleted_at is null) < 1000
returning guid, name, code, type, false as "isConfigured", false as "isActive"
