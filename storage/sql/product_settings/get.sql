-- Returns a business's product settings, preceded by whether it generates SKUs.
-- $1 business uuid
-- -> generates_skus boolean, ...
select coalesce(s.auto_generate_sku, false) as generates_skus,
       coalesce(s.auto_generate_sku, false) as "autoGenerateSku", coalesce(s.default_unit, 'cm') as "defaultUnit",
       coalesce(s.default_weight_unit, 'kg') as "defaultWeightUnit"
from businesses b left join product_settings s on s.business_id = b.guid
where b.guid = $1
