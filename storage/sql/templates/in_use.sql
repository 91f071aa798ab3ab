-- Whether a workflow of business $1 uses the template with the code $2.
select template_in_use($1::uuid, $2)
