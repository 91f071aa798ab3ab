-- Keeps the texts for which an erasure of a person searches until it is complete, for each of the person's customers: after an
-- interruption, the records that held them may already be erased while other rows still hold them.
-- $1 business uuid, $2 customers uuid[], $3 names text[], $4 emails text[], $5 words text[], $6 record_words text[]
insert into customer_erasures (business_id, customer_id, names, emails, words, record_words)
select $1, c.guid, $3::text[], $4::text[], $5::text[], $6::text[]
from customers c where c.business_id = $1 and c.guid = any ($2::uuid[])
on conflict (business_id, customer_id) do update
set names = array(select unnest(customer_erasures.names) union select unnest(excluded.names)),
    emails = array(select unnest(customer_erasures.emails) union select unnest(excluded.emails)),
    words = array(select unnest(customer_erasures.words) union select unnest(excluded.words)),
    record_words = array(select unnest(customer_erasures.record_words) union select unnest(excluded.record_words))
