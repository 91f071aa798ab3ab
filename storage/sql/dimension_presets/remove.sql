-- Deletes a dimension preset.
-- $1 business uuid, $2 preset uuid
delete from dimension_presets where business_id = $1 and guid = $2
