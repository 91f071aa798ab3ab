-- Changes a business's product settings. Null leaves a setting unchanged.
-- $1 business uuid, $2 generate_skus boolean, $3 unit_of_length text, $4 unit_of_weight text
insert into product_settings as s (business_id, auto_generate_sku, default_unit, default_weight_unit)
values ($1, coalesce($2::boolean, false), coalesce($3::text, 'cm'), coalesce($4::text, 'kg'))
on conflict (business_id) do update
set auto_generate_sku = coalesce($2, s.auto_generate_sku), default_unit = coalesce($3, s.default_unit),
    default_weight_unit = coalesce($4, s.default_weight_unit)
