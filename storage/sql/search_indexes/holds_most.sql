-- Returns whether at least half of the rows of a table of records are a business's, by the table's last analysis.
-- $1 business uuid, $2 entity_type smallint, $3 table text
-- -> holds_most boolean
select c.reltuples > 0 and 2 * coalesce((select sum(n.delta) from record_counts n
                                         where n.business_id = $1 and n.entity_type = $2), 0) >= c.reltuples as holds_most
from pg_class c
where c.oid = to_regclass($3)
