-- Returns the businesses of which changed.sql may return workflows, each with its last change. Reads no definition.
-- $1 epoch bigint
-- -> business_id uuid, epoch bigint
select c.business_id, max(c.epoch) as epoch
from (select w.business_id, w.epoch from workflows w where w.epoch > $1::bigint
      union all
      select t.business_id, t.epoch from templates t where t.epoch > $1::bigint
      union all
      select b.guid, b.epoch from businesses b where b.epoch > $1::bigint
      union all
      select d.business_id, d.epoch from business_defaults d where d.epoch > $1::bigint) c
group by c.business_id
