-- Takes one business whose time zone has changed, unless another worker is taking it. No row if there is none.
-- -> business_id uuid
delete from changed_zones
where business_id = (select business_id from changed_zones limit 1 for update skip locked)
returning business_id
