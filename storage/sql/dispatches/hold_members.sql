-- Holds the shipments of a dispatch until the transaction ends: $1 business, $2 the dispatch.
select s.guid from shipments s where s.business_id = $1 and s.dispatch_id = $2
order by s.guid for no key update
