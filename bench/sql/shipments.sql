-- 10 000 shipments of business :business with the tracking numbers WB000000001 and on, five traces each. The tokens of
-- their pages end in numbers too.
insert into shipments (business_id, guid, tracking_number, recipient_name, recipient_street, recipient_city,
                       recipient_postal_code, recipient_country)
select :'business', ('00000000-0000-4000-c000-' || 100000000000 + n)::uuid, 'WB' || lpad(n::text, 9, '0'),
       'Recipient ' || n, n % 200 || ' Station Road', 'City ' || n % 16, lpad((n % 99999)::text, 5, '0'), 'DE'
from generate_series(1, 10000) n;

update tracking_tokens
set token = ('00000000-0000-4000-d000-' || right(shipment_id::text, 12))::uuid
where business_id = :'business';

insert into shipment_traces (business_id, shipment_id, at, status, description, location, is_move)
select :'business', ('00000000-0000-4000-c000-' || 100000000000 + n)::uuid, now() - i * interval '1 hour', 'created',
       'Sorted at depot ' || i, 'City ' || i, false
from generate_series(1, 10000) n, generate_series(1, 4) i;
vacuum analyze shipments, shipment_traces, tracking_tokens;
