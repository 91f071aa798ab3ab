-- Changes a business's product settings. Null leaves a setting unchanged.
-- $1 business uuid, $2 generates_skus boolean or null, $3 length_unit text or null,
-- $4 weight_unit text or null
insert into product_settings as s (business_id, auto_generate_sku, default_unit, default_weight_unit)
values ($1, coalesce($2::boolean, false), coalesce($3::text, 'cm'), coalesce($4::text, 'kg'))
on conflict (business_id) do update
set auto_generate_sku = coalesce($2, s.auto_generate_sku), default_unit = coalesce($3, s.default_unit),
    default_weight_unit = coalesce($4, s.default_weight_unit)
