-- Returns a page of orders, each row preceded by the total: by default the newest fifty. api/records/list_page.cpp
-- inserts the parts of a request in the marked places. A row whose large columns may have more than 40 kB has neither
-- these nor a total. A compressed column counts forty times its bytes, which is more than most texts expand to.
-- $1 business uuid
-- -> total bigint or null, ...
select
  case when r.fits then /*total*/(select coalesce(sum(n.delta), 0)::bigint from record_counts n
            where n.business_id = $1 and n.entity_type = 0)/*end*/ end as total,
/*fields*/
\columns answer orders.listed r
\after customer.guid
(select c.name from customers c where c.business_id = r.business_id and c.guid = r.customer_id) as "customer.name"
\instead items
case when r.fits then r.items end as "items{description,quantity,price}"
\instead metadata
case when r.fits then r.metadata end as metadata
\instead source.type
case when r.integration_id is not null then 'import' when r.source_type = 'sql' then 'sql' else 'api' end
    as "source.type"
\after source.integration.guid
case when r.integration_id is not null then
    (select store_name(i) from integrations i where i.business_id = r.business_id and i.guid = r.integration_id)
  end as "source.integration.name",
  case when r.integration_id is not null then
    (select i.provider from integrations i where i.business_id = r.business_id and i.guid = r.integration_id)
  end as "source.integration.provider"
\end
/*end*/
from (select r.*,
             /*fits*/pg_column_size(r.items) * case when pg_column_compression(r.items) is null then 1 else 40 end
              + coalesce(pg_column_size(r.metadata) * case when pg_column_compression(r.metadata) is null then 1 else 40 end, 0)
             <= 40000/*end*/ as fits/*place*/
      from (/*rows*/select r.*/*end*/ from orders r/*join*/
            where r.business_id = $1 and r.deleted_at is null/*where*/
            order by /*order*/r.created_at desc, r.guid desc/*end*/
            /*page*/limit 50/*end*/) r
      offset 0) r
order by /*order*/r.created_at desc, r.guid desc/*end*/
