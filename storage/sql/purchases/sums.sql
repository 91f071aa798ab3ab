-- Returns the number of purchases and their prices by currency, of the same purchases as list.sql. Test labels do not count:
-- like purchases without a price they have the currency null.
-- runs: long
-- $1 business uuid, $2 status text or null, $3 carrier uuid or null, $4 begin timestamptz or null,
-- $5 finish timestamptz or null (not included)
-- -> currency text or null, purchases bigint, paid numeric (of bought labels), returned numeric (of voided ones)
select c.currency, count(*) as purchases,
       coalesce(sum(p.price) filter (where c.currency is not null and p.status in ('bought', 'voiding')), 0) as paid,
       coalesce(sum(p.price) filter (where c.currency is not null and p.status = 'voided'), 0) as returned
from purchases p
cross join lateral (select case when p.price is not null and p.test_mode is not true then p.currency end as currency) c
where p.business_id = $1::uuid and ($2::text is null or purchase_status(p.status, p.void_state, p.lookups) = $2::text)
  and ($3::uuid is null or p.carrier_id = $3::uuid)
  and p.requested_at >= coalesce($4::timestamptz, '-infinity') and p.requested_at < coalesce($5::timestamptz, 'infinity')
group by c.currency
order by c.currency nulls last
