-- Returns whether a workflow uses a template.
-- $1 business uuid, $2 code text
-- -> in_use boolean
select template_in_use($1::uuid, $2) as in_use
