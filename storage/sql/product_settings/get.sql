-- Returns a business's product settings.
-- $1 business uuid
select coalesce(s.auto_generate_sku, false) as "autoGenerateSku", coalesce(s.default_unit, 'cm') as "defaultUnit",
       coalesce(s.default_weight_unit, 'kg') as "defaultWeightUnit"
from businesses b left join product_settings s on s.business_id = b.guid
where b.guid = $1
