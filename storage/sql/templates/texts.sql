-- Returns a business's name and the texts of templates and of those they include, by code.
-- $1 business uuid, $2 codes text[]
-- -> name text, texts jsonb
select b.name, template_texts(b.guid, $2::text[]) as texts from businesses b where b.guid = $1::uuid
