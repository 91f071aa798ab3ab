-- Locks a business name until the transaction ends, so that only one transaction looks for the business and
-- creates it.
-- $1 name text
select slot from work_locks where kind = 'business_names' and slot = work_slot($1::text) for update
