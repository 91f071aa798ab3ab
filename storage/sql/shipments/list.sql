-- Returns a page of shipments, each row preceded by the total: by default the newest fifty. api/records/list_page.cpp
-- inserts the parts of a request in the marked places. A row whose large columns may have more than 40 kB has neither
-- these nor a total. A compressed column counts forty times its bytes, which is more than most texts expand to.
-- $1 business uuid
-- -> total bigint or null, ...
select
  case when r.fits then /*total*/(select coalesce(sum(n.delta), 0)::bigint from record_counts n
            where n.business_id = $1 and n.entity_type = 1)/*end*/ end as total,
/*fields*/
\columns answer shipments.listed r
\after customer.guid
(select c.name from customers c where c.business_id = r.business_id and c.guid = r.customer_id) as "customer.name"
\after sender.name
address_line(r.sender_street, r.sender_city, r.sender_state, r.sender_postal_code, r.sender_country)
    as "sender!.address"
\after recipient.name
address_line(r.recipient_street, r.recipient_city, r.recipient_state, r.recipient_postal_code, r.recipient_country)
    as "recipient!.address"
\instead packages
case when r.fits then r.packages end as packages
\after carrier.guid
k.name as "carrier.name"
\instead carrierTrackingUrl
coalesce(r.carrier_tracking_url, tracking_url(k.tracking_url_pattern, r.carrier_tracking_number)) as "carrierTrackingUrl"
\instead metadata
case when r.fits then r.metadata end as metadata
\end
/*end*/
from (select r.*,
             /*fits*/pg_column_size(r.packages) * case when pg_column_compression(r.packages) is null then 1 else 40 end
              + coalesce(pg_column_size(r.metadata) * case when pg_column_compression(r.metadata) is null then 1 else 40 end, 0)
             <= 40000/*end*/ as fits/*place*/
      from (/*rows*/select r.*/*end*/ from shipments r
            where r.business_id = $1 and r.deleted_at is null/*where*/
            order by /*order*/r.created_at desc, r.guid desc/*end*/
            /*page*/limit 50/*end*/) r
      offset 0) r
left join carriers k on k.business_id in (r.business_id, catalogue_business()) and k.guid = r.carrier_id
order by /*order*/r.created_at desc, r.guid desc/*end*/
