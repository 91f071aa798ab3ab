-- Finds the due timers of single businesses, so that they take turns in a shard in which one business has very many.
create index timers_by_business on timers (shard, business_id, check_at);
