\set n random(1, 100000)
with changed as (
  update orders set status = case status when 'pending' then 'processing' else 'pending' end
  where business_id = :business and guid = ('00000000-0000-4000-8000-' || 100000000000 + :n)::uuid
  returning guid, order_number, status
), entry as (
  insert into plain_outbox (payload)
  select json_build_object('order', guid, 'number', order_number, 'status', status) from changed
  returning id
)
select pg_notify('plain_outbox', '') from entry;
