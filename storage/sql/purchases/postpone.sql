-- Lets due purchases wait that a worker cannot claim: those of suspended businesses, and those with a connector that it lacks.
-- $1 businesses uuid[], $2 connectors text[], $3 delay interval
update purchases p set claim_at = statement_timestamp() + $3::interval
from (select l.business_id, l.guid
      from businesses o
      cross join lateral (select d.business_id, d.guid from purchases d
                          where d.business_id = o.guid and d.claim_at <= statement_timestamp()
                            and (o.suspended_at is not null or d.connector <> all ($2::text[]))
                          order by d.claim_at limit 100
                          for update skip locked) l
      where o.guid = any ($1::uuid[])) n
where p.business_id = n.business_id and p.guid = n.guid
