-- Returns whether a workflow uses a template.
-- $1 business, $2 code
select template_in_use($1::uuid, $2)
