-- Returns a page of products, each row preceded by the total: by default the newest fifty. api/records/list_page.cpp
-- inserts the parts of a request in the marked places. A row whose large columns may have more than 40 kB has neither
-- these nor a total. A compressed column counts forty times its bytes, which is more than most texts expand to.
-- $1 business uuid
-- -> total bigint or null, ...
select
  case when r.fits then /*total*/(select coalesce(sum(n.delta), 0)::bigint from record_counts n
            where n.business_id = $1 and n.entity_type = 3)/*end*/ end as total,
/*fields*/
\columns answer products.listed r
\after description moves barcode
\instead metadata
case when r.fits then r.metadata end as metadata
\after metadata
jsonb_array_length(r.variants) as "variantCount"
\end
/*end*/
from (select r.*,
             /*fits*/coalesce(pg_column_size(r.metadata) * case when pg_column_compression(r.metadata) is null then 1 else 40 end, 0)
             <= 40000/*end*/ as fits/*place*/
      from (/*rows*/select r.*/*end*/ from products r
            where r.business_id = $1 and r.deleted_at is null/*where*/
            order by /*order*/r.created_at desc, r.guid desc/*end*/
            /*page*/limit 50/*end*/) r
      offset 0) r
order by /*order*/r.created_at desc, r.guid desc/*end*/
