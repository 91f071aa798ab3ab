-- Deletes a dimension preset.
-- $1 business, $2 preset
delete from dimension_presets where business_id = $1 and guid = $2
