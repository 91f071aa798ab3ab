-- Returns the units of the weights and lengths of a business's products.
-- $1 business uuid
-- -> weight_unit text, length_unit text
select coalesce(s.default_weight_unit, 'kg') as weight_unit, coalesce(s.default_unit, 'cm') as length_unit
from businesses b left join product_settings s on s.business_id = b.guid
where b.guid = $1
