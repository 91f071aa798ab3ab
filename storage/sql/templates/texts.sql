-- The business $1's name, and the texts of its templates $2 and of those they include, by code.
select b.name, template_texts(b.guid, $2::text[]) from businesses b where b.guid = $1::uuid
