\set n random(1, 100000)
update orders set status = case status when 'pending' then 'processing' else 'pending' end
where business_id = :business and guid = ('00000000-0000-4000-8000-' || 100000000000 + :n)::uuid;
